//! Reports for people to read at leisure: a page in HTML and a document in Markdown.
//!
//! Both are written from [`templates`] and show the same: [`overview`] of the run, and of each finding its [`details`]. Everything that comes from
//! analysed code is made harmless for a terminal first, and then for the form by the template engine, which escapes whatever a template does not
//! declare safe.

mod answer_comments;
pub mod audit;
mod details;
pub mod html;
pub mod markdown;
mod overview;
mod picture;
mod places;
mod styled_text;
mod templates;

#[cfg(test)]
mod tests;
