//! What is told about APIs and parameters that the versions of libraries do not have which a project runs with.

use std::fs;
use std::process::Command;

/// What `harp check --verbose` prints for a program beside which these files lie.
fn checked(program: &str, files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join(".git")).expect("a folder can be made");
    for (name, text) in files.iter().chain([&("main.py", program)]) {
        fs::write(folder.path().join(name), text).expect("a file can be written");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_harp"))
        .args(["check", "main.py", "--verbose"])
        .current_dir(folder.path())
        .env("NO_COLOR", "1")
        .output()
        .expect("the program starts");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn contains(text: &str, part: &str) {
    assert!(text.contains(part), "`{part}` is not in:\n{text}");
}

#[track_caller]
fn lacks(text: &str, part: &str) {
    assert!(!text.contains(part), "`{part}` is in:\n{text}");
}

#[test]
fn an_api_that_is_gone_is_told_with_the_version_and_the_file_that_says_so() {
    let program = "import torch\ntorch.symeig(torch.rand(3, 3))\ntorch.solve(torch.rand(3, 1), torch.rand(3, 3))\n";
    let out = checked(program, &[("requirements.txt", "torch==1.13.1\n")]);
    contains(&out, "torch.solve was removed in 1.12, and the project runs with torch ==1.13.1 (requirements.txt)");
    lacks(&out, "torch.symeig was removed");
    let out = checked(program, &[("harp.toml", "target-torch = \">=2.0\"\n")]);
    contains(
        &out,
        "torch.symeig was removed in 2.0, and the project runs with torch >=2.0 (`target-torch` in harp.toml)",
    );
    lacks(&checked(program, &[]), "was removed");
}

#[test]
fn an_api_that_is_not_there_yet_is_told() {
    let program = "import torch\nfrom torch import nn\nreveal_type(nn.RMSNorm(4)(torch.rand(2, 4)))\n";
    let out = checked(program, &[("requirements.txt", "torch>=2.0,<2.4\n")]);
    contains(
        &out,
        "torch.nn.RMSNorm exists only since 2.4, and the project runs with torch >=2.0,<2.4 (requirements.txt)",
    );
    lacks(&out, "[2, 4]");
    // Some version that the project may run with has it.
    for requirement in ["torch>=1.8\n", "torch>=2.0,<2.5\n"] {
        let out = checked(program, &[("requirements.txt", requirement)]);
        lacks(&out, "exists only since");
        contains(&out, "[2, 4]");
    }
}

#[test]
fn a_parameter_that_is_not_there_yet_is_told() {
    let program = "import torch
from torch import nn
torch.meshgrid(torch.arange(2), torch.arange(3), indexing='ij')
attention = nn.MultiheadAttention(8, 2, batch_first=True)
reveal_type(attention(torch.rand(2, 3, 8), torch.rand(2, 3, 8), torch.rand(2, 3, 8))[0])
nn.LSTM(4, 8, proj_size=2)
nn.LSTM(4, 8, batch_first=True)
";
    let out = checked(program, &[("requirements.txt", "torch==1.7.1\n")]);
    let cause = "and the project runs with torch ==1.7.1 (requirements.txt)";
    for absent in [
        "the parameter `batch_first` of torch.nn.MultiheadAttention exists only since 1.9",
        "the parameter `proj_size` of torch.nn.LSTM exists only since 1.8",
    ] {
        contains(&out, &format!("{absent}, {cause}"));
    }
    lacks(&out, "`batch_first` of torch.nn.LSTM");
    let out = checked(program, &[("requirements.txt", "torch==1.10.2\n")]);
    lacks(&out, "exists only since");
    contains(&out, "[2, 3, 8]");
}

#[test]
fn a_class_that_derives_from_one_with_a_newer_parameter_tells_it() {
    let program = "import torch
from torch import nn

class Layer(nn.TransformerEncoderLayer):
    def __init__(self):
        super().__init__(8, 2, norm_first=True)

Layer()
";
    let out = checked(program, &[("requirements.txt", "torch==1.9.1\n")]);
    contains(&out, "the parameter `norm_first` of torch.nn.TransformerEncoderLayer exists only since 1.10");
}

#[test]
fn a_default_is_that_of_the_version() {
    let program = "import torch\nreveal_type(torch.stft(torch.rand(32), 8, 4, window=torch.ones(8)))\n";
    contains(&checked(program, &[("requirements.txt", "torch==1.7.1\n")]), "[5, 9, 2] float32");
    lacks(&checked(program, &[("requirements.txt", "torch>=1.7\n")]), "[5, 9, 2]");
}

#[test]
fn numpy_and_torchvision_have_versions_too() {
    let program = "import numpy as np
import torch
import torchvision
np.zeros(3, dtype=np.float)
np.concat([np.ones(2), np.ones(3)])
np.product(np.ones(3))
x = np.Inf
model = torchvision.models.resnet18(weights=None)
";
    let old = checked(program, &[("requirements.txt", "numpy==1.23.5\ntorchvision==0.12.0\n")]);
    contains(&old, "numpy.concat exists only since 2.0, and the project runs with numpy ==1.23.5");
    contains(&old, "the parameter `weights` of torchvision.models.resnet18 exists only since 0.13");
    lacks(&old, "was removed");
    let new = checked(program, &[("requirements.txt", "numpy>=2.0\ntorchvision>=0.13\n")]);
    for gone in ["numpy.float was removed in 1.24", "numpy.product was removed in 2.0", "numpy.Inf was removed in 2.0"]
    {
        contains(&new, gone);
    }
    lacks(&new, "exists only since");
}

#[test]
fn names_that_are_gone_are_told_unless_the_project_runs_with_an_older_version() {
    let program = "import numpy as np\nimport yaml\nfrom scipy.misc import imresize\nx = np.zeros(3, dtype=np.int)\n\
                   settings = yaml.load(open('a.yaml'))\n";
    let told = [
        "`numpy` has no `int` since version 1.24",
        "`scipy.misc` has no `imresize` to import since",
        "`Loader` is missing",
    ];
    let newest = checked(program, &[]);
    let open = checked(program, &[("requirements.txt", "numpy>=1.16\nscipy\npyyaml>=5\n")]);
    for part in told {
        contains(&newest, part);
        contains(&open, part);
    }
    let pinned = [
        ("requirements.txt", "numpy==1.19.5\nscipy<1.2\nPyYAML==5.4\n"),
        ("setup.py", "setup(install_requires=['numpy<1.20', \"scipy==1.0\", 'pyyaml>=3,<6'])\n"),
        ("pyproject.toml", "[project]\ndependencies = ['numpy~=1.19.0', 'scipy==1.1.*', 'pyyaml==5.3']\n"),
    ];
    for file in pinned {
        let out = checked(program, &[file]);
        for part in told {
            lacks(&out, part);
        }
    }
    let out = checked(program, &[("requirements.txt", "numpy==1.26.4\nscipy==1.11.4\npyyaml==6.0\n")]);
    contains(&out, told[0]);
    contains(&out, told[1]);
}

#[test]
fn what_a_product_takes_is_that_of_the_version() {
    let program =
        "import tensorflow as tf\na, b = tf.zeros([2, 3, 4]), tf.zeros([4, 5])\nreveal_type(tf.matmul(a, b))\n";
    contains(&checked(program, &[]), "[2, 3, 5]");
    contains(&checked(program, &[("harp.toml", "target-tensorflow = \"1.14\"\n")]), "[2, 3, 5]");
    for (name, text) in
        [("harp.toml", "target-tensorflow = \"1.8\"\n"), ("requirements.txt", "tensorflow-gpu==1.13.1\n")]
    {
        let out = checked(program, &[(name, text)]);
        contains(&out, "error[shape/mismatch]");
        let out = checked(
            "import tensorflow as tf\nreveal_type(tf.matmul(tf.zeros([2, 3, 4]), tf.zeros([2, 4, 5])))\n",
            &[(name, text)],
        );
        contains(&out, "[2, 3, 5]");
        lacks(&out, "error[");
    }
}

#[test]
fn a_library_without_versions_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (text, told) in [
        ("target-tensorflw = \"1.8\"\n", "did you mean `target-tensorflow`?"),
        ("target-jax = \"newest\"\n", "`newest` is not a version"),
    ] {
        fs::write(folder.path().join("harp.toml"), text).expect("a file can be written");
        fs::write(folder.path().join("main.py"), "").expect("a file can be written");
        let output = Command::new(env!("CARGO_BIN_EXE_harp"))
            .args(["check", "main.py", "--config", "harp.toml"])
            .current_dir(folder.path())
            .env("NO_COLOR", "1")
            .output()
            .expect("the program starts");
        contains(&String::from_utf8_lossy(&output.stderr), told);
        assert_eq!(output.status.code(), Some(2));
    }
}
