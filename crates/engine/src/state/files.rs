//! The files of the deployment in hand: read once, however often its command runs before it has all it needs.

use super::Working;
use crate::command::resource::Readable;
use std::sync::Arc;
use tidemill_model::command::ResourceFile;

/// Reading BPMN is by far the largest part of a deployment, and a deployment of many files runs several times until it has all it needs.
#[derive(Default)]
pub(super) struct FilesRead {
    /// One reading is enough: a command that misses something runs again before another deployment is read.
    last: Option<Reading>,
    /// Tests show by it that no file is read twice.
    count: u64,
}

struct Reading {
    given: Vec<ResourceFile>,
    files: Arc<Vec<Readable>>,
}

impl Reading {
    /// The contents are compared by address: they are kept here, so no other content can have it.
    fn is_of(&self, given: &[ResourceFile]) -> bool {
        let same =
            |(a, b): (&ResourceFile, &ResourceFile)| a.name == b.name && Arc::ptr_eq(&a.content, &b.content);
        self.given.len() == given.len() && self.given.iter().zip(given).all(same)
    }
}

impl FilesRead {
    pub(super) fn forget(&mut self) {
        self.last = None;
    }
}

impl Working {
    /// The result of reading these files when the command ran before.
    pub(crate) fn files_read_before(&self, given: &[ResourceFile]) -> Option<Arc<Vec<Readable>>> {
        self.files_read.last.as_ref().filter(|last| last.is_of(given)).map(|last| last.files.clone())
    }

    /// Keeps what was read until the command has gone through or its batch has ended.
    pub(crate) fn keep_files_read(
        &mut self,
        given: &[ResourceFile],
        files: Vec<Readable>,
    ) -> Arc<Vec<Readable>> {
        let files = Arc::new(files);
        self.files_read.count += files.len() as u64;
        self.files_read.last = Some(Reading { given: given.to_vec(), files: files.clone() });
        files
    }

    /// Number of files that deployments have read so far: a measure of the work that they took.
    pub fn files_read(&self) -> u64 {
        self.files_read.count
    }
}
