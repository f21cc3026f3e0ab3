//! The families of abstract values that are tensors: which ones there are, and what values of unknown type are taken
//! for.

use std::rc::Rc;

use crate::calls::call::CallArguments;
use crate::state::interpreter::{Eval, Interpreter};
use crate::values::value::{FunctionKind, Tensor, TensorKind, Value};
use harp_annotations::ApiSpec;
use harp_corpus::{FileId, Span};
use harp_python::name::Name;
use harp_shape::{Assumed, DType, Families, Family, Shape};

impl<'p> Interpreter<'p> {
    /// The families that packs declare.
    pub fn families(&self) -> &'p Families {
        self.library.families()
    }

    /// The tensors of a class; those that are assumed everywhere, where no family has it.
    pub fn kind_of_class(&self, class: &str) -> TensorKind {
        TensorKind::of(self.families().of_class(class).unwrap_or_else(|| self.families().usual()))
    }

    /// What is true of the tensors that an API makes, as its entry or its name tells.
    pub(crate) fn family_of_result(&self, spec: &ApiSpec, api: Name) -> Family {
        let told = spec.family.as_deref().and_then(|class| self.families().of_class(class));
        told.unwrap_or_else(|| self.kind_of_api(api).family())
    }

    /// The type that elements of a family's tensors have which would have this one in another library: that of half as many bits, where the
    /// family has none of 64 bits.
    pub fn type_in_family(&self, dtype: DType, family: Family) -> DType {
        let words = &family.rules().narrow_unless;
        let narrow = match dtype {
            DType::Int64 => DType::Int32,
            DType::UInt64 => DType::UInt32,
            DType::Float64 => DType::Float32,
            DType::Complex128 => DType::Complex64,
            dtype => dtype,
        };
        let is_of_either =
            narrow != dtype || matches!(dtype, DType::Int32 | DType::UInt32 | DType::Float32 | DType::Complex64);
        if words.is_empty() || !is_of_either {
            return dtype;
        }
        let is_open = self.remembered_mention(family, || {
            self.corpus.files.iter().any(|file| words.iter().any(|word| file.text.contains(&**word)))
        });
        if is_open { DType::Unknown } else { narrow }
    }

    /// Whose tensors an API makes.
    pub fn kind_of_api(&self, api: Name) -> TensorKind {
        TensorKind::of(self.family_of_api(api).unwrap_or_else(|| self.families().usual()))
    }

    /// The family of which an API makes tensors, where it belongs to the library of one.
    pub fn family_of_api(&self, api: Name) -> Option<Family> {
        self.remembered_family(api, || self.families().made_by(api.as_str()))
    }

    /// A member of a tensor that the class of its family has in a source of a pack. In that class itself the members are those that tensors have
    /// by themselves.
    pub(crate) fn member_in_source(&mut self, tensor: &Rc<Tensor>, name: Name, span: Span) -> Option<Eval> {
        let member = self.found_in_source(tensor, name)?;
        let receiver = Value::Tensor(Rc::clone(tensor));
        Some(match &member {
            Value::Function(closure) if closure.kind == FunctionKind::Property => {
                self.call(&member, CallArguments::positional(vec![receiver], span))
            }
            Value::Function(_) => Ok(self.bind_method(&receiver, member)),
            _ => Ok(member),
        })
    }

    /// The member as that class has it.
    pub(crate) fn found_in_source(&mut self, tensor: &Tensor, name: Name) -> Option<Value> {
        let class = Name::new(tensor.kind.class_name());
        let has_source =
            self.remembered_class_in_source(class, || self.project.standard_definition(class.as_str()).is_some());
        if !has_source {
            return None;
        }
        let Some(found @ Value::Class(id)) = self.standard_value(class) else { return None };
        if self.frames.last().is_some_and(|frame| frame.class == Some(id)) {
            return None;
        }
        self.member_of(&found, name, None)
    }

    /// What a value of unknown type is taken for of which a member is read that tensors have: arrays, where the family that is assumed at the place
    /// has no such member and they do; nothing, where neither has it.
    pub(crate) fn kind_with_member(&mut self, kind: TensorKind, name: Name, span: Span) -> Option<TensorKind> {
        if kind.family() == self.families().usual() || self.family_has(kind.family(), name, span) {
            return Some(kind);
        }
        let arrays = self.families().assumed(Assumed::AsWell)?;
        self.family_has(arrays, name, span).then(|| TensorKind::of(arrays))
    }

    /// Whether the tensors of a family are known to have a member.
    fn family_has(&mut self, family: Family, name: Name, span: Span) -> bool {
        let class = Name::new(family.class());
        let any = || Tensor::without_operation(Shape::unknown("any"), DType::Unknown, TensorKind::of(family), span);
        matches!(name.as_str(), "device" | "dtype" | "ndim" | "shape")
            || self.annotated_method(class, name).is_some()
            || self.annotated_property(class, name).is_some()
            || self.found_in_source(&any(), name).is_some()
    }

    /// Whether an API makes tensors: neither arrays, whose functions take more, nor pictures.
    pub(crate) fn is_of_tensors(&self, api: Name) -> bool {
        let rules = self.family_of_api(api).map(Family::rules);
        rules.is_some_and(|rules| !rules.array_functions && !rules.is_picture)
    }

    /// Whether an API makes arrays, and takes lists and numbers for them.
    pub(crate) fn is_of_arrays(&self, api: Name) -> bool {
        self.family_of_api(api).is_some_and(|family| family.rules().array_functions)
    }

    /// What a value of unknown type is taken for that does what only tensors can: by what its file imports.
    pub fn assumed_kind(&self, place: Span) -> TensorKind {
        TensorKind::of(self.assumed_family(place.file))
    }

    /// What a value of unknown type is taken for that does what tensors and arrays can.
    pub fn assumed_open_kind(&self, place: Span) -> TensorKind {
        let family = self.assumed_family(place.file);
        match self.families().assumed(Assumed::AsWell) {
            Some(other) => TensorKind::either(family, other),
            None => TensorKind::of(family),
        }
    }

    /// Whose tensors a word in an annotation or a comment names. Where it names those of several families, that of the place counts.
    pub fn kind_of_words(&self, word: Option<&str>, place: Span) -> Option<TensorKind> {
        let word = word?;
        let assumed = self.assumed_family(place.file);
        let mut known = std::iter::once(assumed).chain(self.families().iter());
        known.find(|family| family.is_called(word)).map(TensorKind::of)
    }

    /// The class of the arrays that a word in an annotation names: those of the library that the file imports, or those that may be in the place
    /// of tensors anywhere.
    pub(crate) fn array_called(&self, word: &str, place: Span) -> Option<Name> {
        let known = std::iter::once(self.assumed_family(place.file)).chain(self.families().assumed(Assumed::AsWell));
        let mut arrays = known.into_iter().filter(|family| family.rules().array_functions);
        arrays.find(|family| family.is_called(word)).map(|family| Name::new(family.class()))
    }

    /// A tensor of the usual family or of that which may be in its place.
    pub fn usual_open_kind(&self) -> TensorKind {
        let usual = self.families().usual();
        self.families().assumed(Assumed::AsWell).map_or(TensorKind::of(usual), |other| TensorKind::either(usual, other))
    }

    fn assumed_family(&self, file: FileId) -> Family {
        self.remembered_assumption(file, || {
            let families = self.families();
            let usual = families.usual();
            let is_imported = |family: Family| {
                let packages = family.rules().of.iter().map(|module| module.split('.').next().unwrap_or(module));
                packages.into_iter().any(|package| self.file_imports(file, package))
            };
            let mut others = families.iter().filter(|family| family.rules().assumed == Assumed::WhereImported);
            match others.find(|family| is_imported(*family)) {
                Some(family) if !is_imported(usual) => family,
                _ => usual,
            }
        })
    }
}
