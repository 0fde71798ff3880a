//! The progress line of a study: which question it is, and how far its exploration.

use fwvs_report::{Reporter, TextReporter};
use fwvs_scenario::RunEvent;
use fwvs_study::{Kind, Question};

/// Shows how far a run is, and leaves everything else to the table.
pub(crate) struct Progress<'a> {
    question: &'a Question,
    /// While a run is under way.
    line: Option<Box<dyn Reporter>>,
}

impl<'a> Progress<'a> {
    pub(crate) fn new(question: &'a Question) -> Self {
        Self { question, line: None }
    }

    /// An event of the run with that value of a parameter.
    pub(crate) fn event(&mut self, value: Option<i64>, event: &RunEvent) {
        match event {
            RunEvent::Progress(_) => {
                let begin = || -> Box<dyn Reporter> {
                    Box::new(TextReporter::stdout().labelled(&label(self.question, value)))
                };
                // Nobody is told if this fails: it is of no use to anybody who cannot see it.
                let _ = self.line.get_or_insert_with(begin).event(event);
            }
            RunEvent::Summary(_) => self.line = None,
            _ => {}
        }
    }
}

/// What the progress line calls a question: the beginning of its name, and the value that is tried.
fn label(question: &Question, value: Option<i64>) -> String {
    const LONGEST: usize = 30;
    let mut name: String = question.name.chars().take(LONGEST).collect();
    if name.len() < question.name.len() {
        name.push('…');
    }
    match (&question.kind, value) {
        (Kind::Smallest { parameter, .. }, Some(value)) => format!("{name}, {parameter}={value}"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use fwvs_study::Study;

    use super::*;

    #[test]
    fn the_progress_line_says_which_question_and_which_value() {
        let text = "example = \"x\"\n[[question]]\nname = \"how many philosophers it takes to deadlock\"\n\
                    kind = \"smallest\"\nparameter = \"N\"\nfrom = 2\nto = 4\n\
                    [[question]]\nname = \"no crash\"\nkind = \"never\"\n";
        let study = Study::parse(text, Path::new("study.toml")).unwrap();
        let [many, never] = study.questions.as_slice() else { panic!("two questions") };
        assert_eq!(label(many, Some(3)), "how many philosophers it takes…, N=3");
        assert_eq!(label(never, None), "no crash");
    }
}
