//! The outer form of an annotation file: YAML to fields, with the position of every text.
//!
//! This file knows only which keys exist and which hold lists; what the texts mean is decided in `lower`. The build script
//! reads the built-in files through the same types, so that an unknown key in one of them fails the build.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, de};
pub use serde_saphyr::Spanned;

/// The file that makes a folder a library pack.
pub const MANIFEST: &str = "harp-library.yaml";
/// The folder of a pack with its sources in Python.
pub const SOURCES: &str = "python";

/// A text with its position in the file.
pub type Text = Spanned<String>;

/// The manifest of a library pack.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RawManifest {
    pub name: Text,
    // What a reader of the manifest wants to know, and nothing depends on.
    #[serde(default, rename = "description")]
    pub _description: Option<Text>,
    #[serde(default, rename = "version")]
    pub _version: Option<Text>,
    #[serde(default, rename = "licence")]
    pub _licence: Option<Text>,
    /// Packages whose own sources are not read where an environment has them.
    #[serde(default)]
    pub follows: Texts,
    /// Packages whose own sources are read in place of the pack's where an environment has them.
    #[serde(default)]
    pub only_where_missing: Texts,
    /// Packs without which this one says too little.
    #[serde(default)]
    pub needs: Texts,
    /// Packages, and the sources in which their names stand: `torchvision.models: torchvision.models._families`.
    #[serde(default)]
    pub gathers: BTreeMap<String, Texts>,
    /// Packages that are there wherever one of these programs runs.
    #[serde(default)]
    pub installed: Texts,
    /// Packages whose version a project may tell, each with the other names that requirements have for it: `torch: pytorch`.
    #[serde(default)]
    pub versions: BTreeMap<String, Texts>,
    /// Packages that compute with no tensors: what they give is data from outside, whatever they get.
    #[serde(default)]
    pub plain: Texts,
    /// Classes by kind: no object is of two kinds.
    #[serde(default)]
    pub kinds: BTreeMap<String, Texts>,
    /// Families of tensors, by the qualified name of their class.
    #[serde(default)]
    pub tensors: BTreeMap<String, Spanned<RawFamily>>,
}

/// What is true of all tensors of a family.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawFamily {
    /// Packages and modules whose functions make such tensors.
    pub of: Texts,
    /// Words that stand for one in annotations and comments.
    pub words: Texts,
    /// What one is called: "tensor", where nothing is told.
    pub noun: Option<Text>,
    /// The module with the functions that operators call; where none is told, that of the class.
    pub operators: Option<Text>,
    /// The functions that have other names there: `sub: subtract`.
    pub operator_names: BTreeMap<String, Text>,
    /// Functions and operators of which it refuses truth values that other families take.
    pub refuses_truth: Texts,
    /// Classes of tensors that a program trains.
    pub parameters: Texts,
    /// Methods by which a class that derives from it says itself what operations do with its objects.
    pub protocols: Texts,
    /// The class of a shape.
    pub sizes: Option<Text>,
    /// `error` or `clamp`.
    pub out_of_range: Option<Text>,
    /// `by category`, `by kind`, `by width` or `never`.
    pub mixes_dtypes: Option<Text>,
    pub default_float: Option<Text>,
    /// The type that Python's integers become.
    pub default_int: Option<Text>,
    /// Words without which in the program no tensor has elements of 64 bits.
    pub narrow_unless: Texts,
    /// `everywhere`, `where imported`, `as well` or `never`.
    pub assumed: Option<Text>,
    /// Whether `x += y` writes into `x`.
    pub in_place: bool,
    /// Whether its functions take lists and numbers, and axes, sizes and element types in the forms of the array API.
    pub array_functions: bool,
    /// Whether a list with tensors becomes a tensor of them.
    pub lists_hold_tensors: bool,
    /// Whether a list of tensors in a subscript is a tuple, and bytes there are a mask.
    pub tuple_subscripts: bool,
    /// Whether a single element is a number.
    pub scalars_are_numbers: bool,
    /// Whether a tensor without dimensions has an axis 0.
    pub scalars_have_axis: bool,
    /// Whether slices may go backwards.
    pub negative_steps: bool,
    /// Whether an element type is equal to the text of its name.
    pub types_equal_names: bool,
    /// Whether its products take vectors as often as matrices.
    pub takes_vectors: bool,
    /// Whether elements may be objects and texts.
    pub holds_objects: bool,
    /// Whether they lie where the program says; else the library decides.
    pub placed_by_program: bool,
    /// Whether its tensors never leave the main memory.
    pub on_host: bool,
    /// Whether it is a picture.
    pub is_picture: bool,
    /// Whether it has `data` and `grad`.
    pub has_gradient: bool,
}

/// A whole annotation file.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawFile {
    /// The package that the file is about, such as `torch`.
    pub library: Text,
    /// Modules that exist, so that an import of them is understood.
    #[serde(default)]
    pub modules: Texts,
    /// Modules that are read where an environment has their sources.
    #[serde(default)]
    pub sources: Texts,
    /// Modules whose names stand for those of another: `torch.nn.modules.*: torch.nn`.
    #[serde(default)]
    pub module_aliases: BTreeMap<String, Text>,
    /// Other keywords for parameters, for all entries that have the parameter: `axis: dim`.
    #[serde(default)]
    pub keywords: BTreeMap<String, Text>,
    /// Names under which transfer functions read parameters, for all entries that have the parameter: `a: input`.
    #[serde(default)]
    pub renames: BTreeMap<String, Text>,
    /// `arrays`: functions of the file make tensors of lists, numbers and objects that stand for arrays, where they take tensors.
    #[serde(default)]
    pub takes: Option<Text>,
    /// What came and went with versions, by the version.
    #[serde(default)]
    pub versions: BTreeMap<String, Spanned<RawVersion>>,
    /// The forms in which APIs may be called, by qualified name.
    #[serde(default)]
    pub calls: BTreeMap<String, Texts>,
    #[serde(default)]
    pub apis: Vec<Spanned<RawEntry>>,
}

/// What a version of a library changed; each list has qualified names, or parameters: `torch.nn.LSTM(proj_size)`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawVersion {
    pub added: Texts,
    pub removed: Texts,
}

impl RawFile {
    /// Whether the file says no more than what came and went with versions: then a package of which nothing else is described is read where an
    /// environment has its sources.
    pub fn is_of_versions_alone(&self) -> bool {
        !self.versions.is_empty()
            && self.apis.is_empty()
            && self.calls.is_empty()
            && self.modules.iter().next().is_none()
    }

    /// Writes what the file says of all its entries into each entry that it concerns, and gives each class an entry of its own.
    pub fn distribute(&mut self) {
        let RawFile { keywords, renames, takes, apis, .. } = self;
        let written = std::mem::take(apis);
        for mut entry in written {
            entry.value.inherit(keywords, renames);
            if entry.value.is_called() {
                entry.value.takes = entry.value.takes.take().or_else(|| takes.clone());
            }
            let mut classes = std::mem::take(&mut entry.value.class).0;
            let last = classes.pop();
            for class in classes {
                let mut own = entry.clone();
                own.value.class = Texts(vec![class]);
                apis.push(own);
            }
            entry.value.class = Texts(last.into_iter().collect());
            apis.push(entry);
        }
    }
}

/// One entry, or the description of a class's call or method: every key that any of them may have. Which keys belong
/// together is checked in `lower`, where the message can say more than "unknown key".
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RawEntry {
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub function: Texts,
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub method: Texts,
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub property: Texts,
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub constant: Texts,
    /// Several classes of one description are as many entries.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub class: Texts,
    /// Further names of the same thing.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub aliases: Texts,

    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Text>,
    /// Other keywords for parameters: `axis: dim`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub keywords: BTreeMap<String, Text>,
    /// Names under which a transfer function reads parameters: `a: input`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub renames: BTreeMap<String, Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signature: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<Text>,
    /// Whether the pack's source in Python tells the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Spanned<bool>>,
    /// `arrays`: it makes tensors of lists, numbers and objects that stand for arrays, where it takes tensors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub takes: Option<Text>,
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub require: Texts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dtype: Option<Text>,
    /// Where its result lies: `cpu`, `accelerator`, `as PARAMETER`, `in PARAMETER`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<Text>,
    /// What its first argument decides for all that is made later: `default-device`, `default-float`.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub sets: Texts,
    /// What readers call an object of the class: `a loader`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<Text>,
    /// Python's special methods that its objects have; without the key these are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub special_methods: Option<Texts>,
    /// Whether it holds parts as lists and dictionaries do: it has a length, and an empty one is false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<Spanned<bool>>,
    /// What an object of the class stands for (`device`, `loader`, `optimizer`), or the part of the language that a function stands for (`assert`,
    /// `property`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stands_for: Option<Text>,
    /// Methods of the class that are called with the class in place of an object.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub class_methods: Texts,
    /// What it does not take although other functions of tensors do: `pictures`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refuses: Option<Text>,
    /// The class of the tensors that it gives, where its name does not tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<Text>,
    /// How the whole numbers in a small result follow.
    pub numbers: Option<Text>,
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub effects: Texts,
    /// What it is to a program, in words that rules of several libraries share.
    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub roles: Texts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub computation: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<Text>,
    /// Defaults that parameters had before a version: `"2.0": "keepdim=True"`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub before: BTreeMap<String, Text>,

    /// A constant's value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Text>,

    #[serde(skip_serializing_if = "Texts::is_empty")]
    pub bases: Texts,
    /// Whether the class is an `nn.Module` whose call runs `call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<Spanned<bool>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, Text>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<Box<Spanned<RawEntry>>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub methods: BTreeMap<String, Spanned<RawEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dataset: Option<Spanned<RawDataset>>,
}

impl RawEntry {
    /// Whether it is a function or a method.
    fn is_called(&self) -> bool {
        !self.function.is_empty() || !self.method.is_empty()
    }

    fn inherit(&mut self, keywords: &BTreeMap<String, Text>, renames: &BTreeMap<String, Text>) {
        let parameters: Vec<&str> = match &self.parameters {
            Some(text) => {
                text.value.split(|character: char| !(character.is_alphanumeric() || character == '_')).collect()
            }
            None => Vec::new(),
        };
        for (keyword, parameter) in keywords {
            if parameters.contains(&parameter.value.as_str()) && !parameters.contains(&keyword.as_str()) {
                self.keywords.entry(keyword.clone()).or_insert_with(|| parameter.clone());
            }
        }
        for (parameter, name) in renames {
            if parameters.contains(&parameter.as_str()) && self.transfer.is_some() {
                self.renames.entry(parameter.clone()).or_insert_with(|| name.clone());
            }
        }
        for nested in self.call.as_deref_mut().into_iter().chain(self.methods.values_mut()) {
            nested.value.inherit(keywords, renames);
        }
    }
}

/// What is known of a data set.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RawDataset {
    /// Number of samples: `60000`, a constructor parameter, or one number for each `parameter=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<Spanned<RawLength>>,
    #[serde(default)]
    pub sample: Texts,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub classes: Option<Text>,
}

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RawLength {
    Always(String),
    By(BTreeMap<String, Text>),
}

/// A list of texts; a single text stands for a list of one.
#[derive(Debug, Default, Clone, Serialize)]
pub struct Texts(pub Vec<Text>);

impl Texts {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Text> {
        self.0.iter()
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // The outer `Spanned` is what gives a single text its position.
        let Spanned { value, referenced, defined } = Spanned::<OneOrMany>::deserialize(deserializer)?;
        Ok(Texts(match value {
            OneOrMany::One(text) => vec![Spanned::new(text, referenced, defined)],
            OneOrMany::Many(texts) => texts,
        }))
    }
}

enum OneOrMany {
    One(String),
    Many(Vec<Text>),
}

impl<'de> Deserialize<'de> for OneOrMany {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = OneOrMany;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<OneOrMany, E> {
                Ok(OneOrMany::One(text.to_owned()))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut sequence: A) -> Result<OneOrMany, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = sequence.next_element()? {
                    texts.push(text);
                }
                Ok(OneOrMany::Many(texts))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

impl<'de> Deserialize<'de> for RawLength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = RawLength;

            fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str("a number, a constructor parameter, or numbers by `parameter=value`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<RawLength, E> {
                Ok(RawLength::Always(text.to_owned()))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<RawLength, E> {
                Ok(RawLength::Always(number.to_string()))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<RawLength, E> {
                Ok(RawLength::Always(number.to_string()))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<RawLength, A::Error> {
                let mut lengths = BTreeMap::new();
                while let Some((condition, length)) = map.next_entry()? {
                    lengths.insert(condition, length);
                }
                Ok(RawLength::By(lengths))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
