#[cfg(test)]
mod dim;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod solver;
