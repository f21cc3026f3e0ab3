#[cfg(test)]
mod parsing;
#[cfg(test)]
mod project;
