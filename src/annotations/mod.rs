//! What is known of library APIs: loads `api_annotations/**/*.yaml` into typed specifications.
