//! The annotations and the transfer functions that they name.

use std::collections::BTreeMap;

use harp::annotations::{ApiSpec, Behaviour, Entry};
use harp::operations;

/// All calls that the built-in annotations describe, under each name.
fn calls() -> Vec<&'static ApiSpec> {
    let mut calls = Vec::new();
    for entry in harp::builtin::library().entries() {
        match entry {
            Entry::Api(spec) => calls.push(&**spec),
            Entry::Class(class) => {
                calls.push(&class.constructor);
                calls.extend(&class.call);
                calls.extend(class.methods.iter().map(|(_, method)| method));
            }
            Entry::Constant(_) => {}
        }
    }
    calls
}

/// The list is printed, so that its length is seen: what the notation can say should not be on it.
#[test]
fn every_named_transfer_function_exists() {
    let mut users: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for spec in calls() {
        if let Behaviour::Transfer(name) = &spec.behaviour {
            users.entry(name).or_default().push(&spec.qualified_name);
        }
    }
    for (name, apis) in &users {
        println!("{name}: {} ({} …)", apis.len(), apis[0]);
    }
    let missing: Vec<_> = users.iter().filter(|(name, _)| operations::lookup(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

/// A call that is said to be pure and free of cost must not be one that computes.
#[test]
fn computations_have_a_cost() {
    let free = |spec: &&&ApiSpec| spec.computation.is_some() && spec.cost == harp::annotations::Cost::Trivial;
    let computes = ["Gemm", "MatMul", "Conv", "ConvTranspose", "ReduceSum", "Softmax", "Attention"];
    let calls = calls();
    let wrong = calls.iter().filter(free).filter(|spec| computes.contains(&spec.computation.as_deref().unwrap_or("")));
    let wrong: Vec<&str> = wrong.map(|spec| &*spec.qualified_name).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// Names that the sources of well-known example programs use.
#[test]
fn common_names_are_described() {
    let library = harp::builtin::library();
    let names = [
        "torch.accelerator.current_accelerator",
        "torch.utils.data.DataLoader",
        "torch.optim.lr_scheduler.StepLR",
        "torchvision.datasets.MNIST",
        "torchvision.transforms.Compose",
        "torchvision.models.resnet18",
        "torchvision.utils.save_image",
        "torch.nn.init.xavier_uniform_",
        "torch.nn.utils.clip_grad_norm_",
        "torch.serialization.safe_globals",
        "numpy.random.randn",
        "PIL.Image.open",
    ];
    let missing: Vec<_> = names.iter().filter(|name| library.entry(name).is_none()).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// A form with a mistake in it would be left out silently.
#[test]
fn every_form_of_a_call_can_be_read() {
    let mut told = 0;
    for spec in calls() {
        let forms = harp::builtin::library().call_forms(&spec.qualified_name);
        told += usize::from(forms.is_some());
    }
    println!("{told} of {} calls have forms", calls().len());
    assert!(told > 1_000);
}
