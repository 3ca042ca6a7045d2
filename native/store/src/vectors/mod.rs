//! Vectors: one flat file for each embedder, append-only, every entry with its own checksum.
//!
//! Vectors are derived from texts: one that is damaged or lost is missing, and is computed anew. So they have no part in
//! the journal. A later entry of the same record and role outweighs an earlier one; entries of records that don't
//! exist any more are passed over.
//!
//! Whoever searches does so in a quantised copy in memory, which is made from the file when it is first needed and follows
//! every commit: see [`Space`].

mod kernels;
mod quantized;
mod space;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs::{self, File},
    io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use ouro_core::{Error, RecordId, Result, StoredVector, VectorRole, sha256_hex};

pub(crate) use self::space::{Space, Spaces};
use crate::{OpenReport, codec, compaction, disk};

const MAGIC: &[u8; 7] = b"OUROVEC";
const VERSION: u8 = 1;
/// Magic, version, dimension, length of the embedder's id.
const FIXED_HEADER: usize = 7 + 1 + 4 + 4;
/// Record, role, padding.
const ENTRY_HEAD: usize = 16 + 4;
const CRC: usize = 4;
/// Where an entry has its role.
const ROLE_AT: usize = 16;
/// What the name of a file in the making ends in.
const REPLACEMENT: &str = "new";
/// How many roles a record's vectors have.
const ROLES: u64 = 2;

/// The vector files of a store.
#[derive(Debug)]
pub(crate) struct Vectors {
    dir: PathBuf,
    groups: BTreeMap<String, Group>,
    spaces: Arc<Spaces>,
}

/// The vectors of one embedder.
#[derive(Debug)]
struct Group {
    path: PathBuf,
    dimension: usize,
    header_len: u64,
    entries: u64,
}

/// What was appended and is not yet part of the store.
#[derive(Debug, Default)]
pub(crate) struct Appended(BTreeMap<String, Vec<StoredVector>>);

impl Vectors {
    /// Opens the vector files of a store. A file whose header is damaged is removed.
    pub(crate) fn open(dir: &Path, report: &mut OpenReport) -> Result<Self> {
        let dir = dir.join("vectors");
        let failed = |e| disk::failed("read", &dir, e);
        disk::make_folder(&dir)?;
        let mut groups = BTreeMap::new();
        for file in fs::read_dir(&dir).map_err(failed)? {
            let path = file.map_err(failed)?.path();
            if path.extension().is_some_and(|e| e == REPLACEMENT) {
                // Left by a beginning or a compaction that was cut off.
                let _ = fs::remove_file(&path);
            }
            if path.extension().is_none_or(|e| e != "vec") {
                continue;
            }
            match Group::open(&path)? {
                Some((embedder, group)) => {
                    groups.insert(embedder, group);
                }
                None => {
                    fs::remove_file(&path).map_err(|e| disk::failed("remove", &path, e))?;
                    report.messages.push(format!(
                        "The vectors in {} were damaged; they are computed anew.",
                        path.display()
                    ));
                }
            }
        }
        Ok(Self { dir, groups, spaces: Arc::default() })
    }

    /// Opens the vector files of a store to read them. What is missing or damaged is left out: it can be computed anew.
    pub(crate) fn open_to_read(dir: &Path) -> Self {
        let dir = dir.join("vectors");
        let files = fs::read_dir(&dir).into_iter().flatten().filter_map(|file| file.ok());
        let paths = files.map(|file| file.path());
        let groups = paths
            .filter(|path| path.extension().is_some_and(|e| e == "vec"))
            .filter_map(|path| Group::open(&path).ok().flatten())
            .collect();
        Self { dir, groups, spaces: Arc::default() }
    }

    /// Writes files anew that hold many vectors that were replaced, or whose record is gone. What was made ready for searching
    /// is made ready again when it is next needed.
    pub(crate) fn compact(
        &mut self,
        records: usize,
        exists: impl Fn(RecordId) -> bool,
    ) -> Result<()> {
        let most = ROLES * records as u64;
        for (embedder, group) in &mut self.groups {
            let waste = group.entries.saturating_sub(most) * group.entry_len() as u64;
            if compaction::is_worthwhile(waste, group.end()) {
                disk::require_space(&self.dir, group.end() - waste)?;
                group.compact(&exists)?;
                self.spaces.forget(embedder);
            }
        }
        Ok(())
    }

    /// How many there are, outdated ones included.
    pub(crate) fn count(&self) -> u64 {
        self.groups.values().map(|group| group.entries).sum()
    }

    /// Refuses vectors of two lengths from one embedder.
    pub(crate) fn check(&self, vectors: &[StoredVector]) -> Result<()> {
        let mut dimensions: BTreeMap<&str, usize> =
            self.groups.iter().map(|(embedder, g)| (embedder.as_str(), g.dimension)).collect();
        for v in vectors {
            let dimension = *dimensions.entry(&v.embedder).or_insert(v.values.len());
            if dimension != v.values.len() {
                return Err(Error::invalid(format!(
                    "embedder {} gave a vector of {} numbers, its others have {dimension}",
                    v.embedder,
                    v.values.len()
                )));
            }
        }
        Ok(())
    }

    /// Writes vectors behind the others. They count after [`Vectors::accept`]. What a power cut takes of them is computed
    /// anew, so nobody waits for the disk here.
    pub(crate) fn append(&mut self, vectors: Vec<StoredVector>) -> Result<Appended> {
        let mut by_embedder: BTreeMap<String, Vec<StoredVector>> = BTreeMap::new();
        for v in vectors {
            by_embedder.entry(v.embedder.clone()).or_default().push(v);
        }
        let mut appended = Appended::default();
        for (embedder, vectors) in by_embedder {
            let written = self.append_to(&embedder, &vectors);
            appended.0.insert(embedder, vectors);
            if let Err(e) = written {
                self.undo(&appended);
                return Err(e);
            }
        }
        Ok(appended)
    }

    /// Makes what was appended part of the store.
    pub(crate) fn accept(&mut self, appended: Appended) {
        for (embedder, vectors) in appended.0 {
            let Some(group) = self.groups.get_mut(&embedder) else { continue };
            for vector in vectors {
                self.spaces.put(&vector, group.entries);
                group.entries += 1;
            }
        }
    }

    /// Takes the vectors of a record that was deleted out of every search.
    pub(crate) fn forget(&self, record: RecordId) {
        self.spaces.remove(record);
    }

    /// What has been made ready for searching.
    pub(crate) fn spaces(&self) -> Arc<Spaces> {
        self.spaces.clone()
    }

    /// Makes the vectors of an embedder and role ready for searching. `None` when there are none.
    pub(crate) fn space(
        &self,
        embedder: &str,
        role: VectorRole,
        exists: impl Fn(RecordId) -> bool,
    ) -> Result<Option<Arc<Space>>> {
        match self.groups.get(embedder).filter(|group| group.entries > 0) {
            Some(group) => {
                let space = Space::load(group, role, exists)?;
                Ok(Some(self.spaces.keep(embedder, role, space)))
            }
            None => Ok(None),
        }
    }

    /// Takes back what was appended, as far as the disk allows: what stays is overwritten by the next append, and is a
    /// true vector of its text at worst.
    pub(crate) fn undo(&mut self, appended: &Appended) {
        for embedder in appended.0.keys() {
            let Some(group) = self.groups.get(embedder) else { continue };
            if group.entries > 0 {
                let _ = File::options()
                    .write(true)
                    .open(&group.path)
                    .and_then(|file| file.set_len(group.end()));
            } else {
                let _ = fs::remove_file(&group.path);
                self.groups.remove(embedder);
            }
        }
    }

    /// Every vector of an embedder whose record exists.
    pub(crate) fn read(
        &self,
        embedder: &str,
        exists: impl Fn(RecordId) -> bool,
    ) -> Result<Vec<StoredVector>> {
        let Some(group) = self.groups.get(embedder) else { return Ok(Vec::new()) };
        let mut places: HashMap<(RecordId, VectorRole), usize> = HashMap::new();
        let mut vectors: Vec<StoredVector> = Vec::new();
        let mut damaged = 0_u64;
        group.each(|_, entry| {
            let Some((record, role, values)) = decode(entry) else {
                damaged += 1;
                return;
            };
            if !exists(record) {
                return;
            }
            let vector = StoredVector { record, role, embedder: embedder.to_owned(), values };
            match places.get(&(record, role)).and_then(|place| vectors.get_mut(*place)) {
                Some(old) => *old = vector,
                None => {
                    places.insert((record, role), vectors.len());
                    vectors.push(vector);
                }
            }
        })?;
        if damaged > 0 {
            tracing::warn!(embedder, damaged, "damaged vectors are passed over");
        }
        Ok(vectors)
    }

    fn append_to(&mut self, embedder: &str, vectors: &[StoredVector]) -> Result<()> {
        if !self.groups.contains_key(embedder) {
            let dimension = vectors.first().map_or(0, |v| v.values.len());
            let group = Group::create(&self.dir, embedder, dimension)?;
            self.groups.insert(embedder.to_owned(), group);
        }
        let Some(group) = self.groups.get(embedder) else { return Ok(()) };
        let bytes: Vec<u8> = vectors.iter().flat_map(encode).collect();
        File::options()
            .write(true)
            .open(&group.path)
            .and_then(|mut file| {
                file.seek(SeekFrom::Start(group.end()))?;
                file.write_all(&bytes)
            })
            .map_err(|e| disk::failed("write to", &group.path, e))
    }
}

impl Group {
    fn create(dir: &Path, embedder: &str, dimension: usize) -> Result<Self> {
        let too_large = |_| Error::invalid("an embedder's id or vector is too large");
        let mut header = MAGIC.to_vec();
        header.push(VERSION);
        header.extend(u32::try_from(dimension).map_err(too_large)?.to_le_bytes());
        header.extend(u32::try_from(embedder.len()).map_err(too_large)?.to_le_bytes());
        header.extend(embedder.as_bytes());
        header.extend(crc32fast::hash(&header).to_le_bytes());
        // An id has any length and any characters; a file name doesn't.
        let name: String = sha256_hex(embedder.as_bytes()).chars().take(24).collect();
        let path = dir.join(name).with_extension("vec");
        // Under its name once it is whole: what has half a header looks damaged.
        let beside = path.with_extension(REPLACEMENT);
        let failed = |e| disk::failed("write to", &beside, e);
        let mut file = BufWriter::new(File::create(&beside).map_err(failed)?);
        file.write_all(&header).map_err(failed)?;
        disk::replace(file, &beside, &path)?;
        Ok(Self { path, dimension, header_len: header.len() as u64, entries: 0 })
    }

    /// `None` when the header is damaged.
    fn open(path: &Path) -> Result<Option<(String, Self)>> {
        let failed = |e| disk::failed("read", path, e);
        let mut file = File::open(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let mut header = Vec::new();
        Read::by_ref(&mut file)
            .take(FIXED_HEADER as u64)
            .read_to_end(&mut header)
            .map_err(failed)?;
        let Some((version, dimension, id_len)) = decode_fixed(&header) else { return Ok(None) };
        file.take((id_len + CRC) as u64).read_to_end(&mut header).map_err(failed)?;
        let Some((covered, crc)) = header.split_last_chunk::<CRC>() else { return Ok(None) };
        if u32::from_le_bytes(*crc) != crc32fast::hash(covered) {
            return Ok(None);
        }
        if version > VERSION {
            return Err(codec::too_new(&path.display().to_string()));
        }
        let id = covered.get(FIXED_HEADER..).unwrap_or_default();
        let Ok(embedder) = String::from_utf8(id.to_vec()) else { return Ok(None) };
        let header_len = header.len() as u64;
        let mut group = Self { path: path.to_owned(), dimension, header_len, entries: 0 };
        group.entries = (len - header_len) / group.entry_len() as u64;
        Ok(Some((embedder, group)))
    }

    fn entry_len(&self) -> usize {
        ENTRY_HEAD + 4 * self.dimension + CRC
    }

    /// Every entry, in the order of the file.
    fn each(&self, mut take: impl FnMut(u64, &[u8])) -> Result<()> {
        let failed = |e| disk::failed("read", &self.path, e);
        let mut file = File::open(&self.path).map_err(failed)?;
        file.seek(SeekFrom::Start(self.header_len)).map_err(failed)?;
        let mut reader = BufReader::with_capacity(1 << 18, file);
        let mut entry = vec![0; self.entry_len()];
        for number in 0..self.entries {
            match reader.read_exact(&mut entry) {
                Ok(()) => take(number, &entry),
                Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => break,
                Err(e) => return Err(failed(e)),
            }
        }
        Ok(())
    }

    /// Puts a file in the place of this one that has only the last vector of each record that exists, and role.
    fn compact(&mut self, exists: &dyn Fn(RecordId) -> bool) -> Result<()> {
        let mut last = HashMap::new();
        self.each(|number, entry| {
            if let Some((record, role, _)) = decode(entry).filter(|(id, _, _)| exists(*id)) {
                last.insert((record, role_byte(role)), number);
            }
        })?;
        let kept: HashSet<u64> = last.into_values().collect();
        let path = self.path.with_extension(REPLACEMENT);
        let failed = |e| disk::failed("write to", &path, e);
        let mut header = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(self.header_len).read_to_end(&mut header))
            .map_err(|e| disk::failed("read", &self.path, e))?;
        let mut written = Ok(());
        let mut file = BufWriter::new(File::create(&path).map_err(failed)?);
        file.write_all(&header).map_err(failed)?;
        self.each(|number, entry| {
            if written.is_ok() && kept.contains(&number) {
                written = file.write_all(entry);
            }
        })?;
        written.map_err(failed)?;
        disk::replace(file, &path, &self.path)?;
        self.entries = kept.len() as u64;
        Ok(())
    }

    fn end(&self) -> u64 {
        self.header_len + self.entries * self.entry_len() as u64
    }
}

/// Version, dimension and length of the embedder's id.
fn decode_fixed(header: &[u8]) -> Option<(u8, usize, usize)> {
    let (version, rest) = header.strip_prefix(MAGIC)?.split_first()?;
    let (dimension, rest) = rest.split_first_chunk::<4>()?;
    let id_len = u32::from_le_bytes(rest.try_into().ok()?);
    Some((*version, u32::from_le_bytes(*dimension) as usize, id_len as usize))
}

fn role_byte(role: VectorRole) -> u8 {
    match role {
        VectorRole::Question => 0,
        VectorRole::Answer => 1,
    }
}

fn encode(vector: &StoredVector) -> Vec<u8> {
    let mut entry = vector.record.to_bytes().to_vec();
    entry.extend([role_byte(vector.role), 0, 0, 0]);
    entry.extend(vector.values.iter().flat_map(|v| v.to_le_bytes()));
    entry.extend(crc32fast::hash(&entry).to_le_bytes());
    entry
}

/// `None` when the entry is damaged.
fn decode(entry: &[u8]) -> Option<(RecordId, VectorRole, Vec<f32>)> {
    let (covered, crc) = entry.split_last_chunk::<CRC>()?;
    if u32::from_le_bytes(*crc) != crc32fast::hash(covered) {
        return None;
    }
    let (record, rest) = covered.split_first_chunk::<16>()?;
    let (role, values) = rest.split_first_chunk::<4>()?;
    let role = match role {
        [0, ..] => VectorRole::Question,
        [1, ..] => VectorRole::Answer,
        _ => return None,
    };
    let values = values.as_chunks::<4>().0.iter().map(|v| f32::from_le_bytes(*v)).collect();
    Some((RecordId::from_bytes(*record), role, values))
}

#[cfg(test)]
mod tests {
    use ouro_core::ErrorKind;
    use ouro_testkit::store_contract::{sample_id, sample_vector};

    use super::*;

    fn open(dir: &Path) -> (Vectors, OpenReport) {
        let mut report = OpenReport::default();
        (Vectors::open(dir, &mut report).unwrap(), report)
    }

    fn one_vector() -> (tempfile::TempDir, PathBuf, StoredVector) {
        let dir = tempfile::tempdir().unwrap();
        let vector = sample_vector(1, VectorRole::Answer, "e", &[0.5, -0.5]);
        let mut vectors = open(dir.path()).0;
        let appended = vectors.append(vec![vector.clone()]).unwrap();
        vectors.accept(appended);
        let path = vectors.groups["e"].path.clone();
        (dir, path, vector)
    }

    #[test]
    fn what_was_not_accepted_is_not_read_and_is_overwritten() {
        let (dir, path, vector) = one_vector();
        let mut vectors = open(dir.path()).0;
        let len = fs::metadata(&path).unwrap().len();
        let other = sample_vector(2, VectorRole::Answer, "e", &[0.1, 0.2]);
        let appended = vectors.append(vec![other]).unwrap();
        assert_eq!(vectors.read("e", |_| true).unwrap(), std::slice::from_ref(&vector));
        vectors.undo(&appended);
        assert_eq!(fs::metadata(&path).unwrap().len(), len);

        let stranger = sample_vector(1, VectorRole::Answer, "f", &[1.0]);
        let appended = vectors.append(vec![stranger]).unwrap();
        vectors.undo(&appended);
        // A dimension that was never accepted binds nobody.
        vectors.check(&[sample_vector(1, VectorRole::Answer, "f", &[1.0, 2.0])]).unwrap();
        assert_eq!(open(dir.path()).0.read("e", |_| true).unwrap(), [vector]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_cut_off_at_its_beginning_is_none() {
        let (dir, path, vector) = one_vector();
        fs::remove_file(&path).unwrap();
        let mut vectors = open(dir.path()).0;
        // No byte of the header gets to the disk.
        std::os::unix::fs::symlink("/dev/full", path.with_extension(REPLACEMENT)).unwrap();
        assert_eq!(vectors.append(vec![vector]).unwrap_err().kind(), ErrorKind::Storage);
        assert!(!path.exists());
        let (_, report) = open(dir.path());
        assert_eq!(report, OpenReport::default());
    }

    #[test]
    fn a_file_that_is_mostly_of_no_use_is_written_anew_with_the_last_vectors() {
        let dir = tempfile::tempdir().unwrap();
        let mut vectors = open(dir.path()).0;
        let long = |value| vec![value; 1_024];
        let path = |vectors: &Vectors| vectors.groups["e"].path.clone();
        for round in 1..=300_u16 {
            let vector = |n, role| sample_vector(n, role, "e", &long(f32::from(round)));
            // Record 1 has both roles, record 2 the one, and record 9 doesn't exist.
            let all = vec![
                vector(1, VectorRole::Question),
                vector(1, VectorRole::Answer),
                vector(2, VectorRole::Answer),
                vector(9, VectorRole::Question),
            ];
            let appended = vectors.append(all).unwrap();
            vectors.accept(appended);
            if round == 150 {
                let damaged = vectors.groups["e"].end() - 8;
                let mut bytes = fs::read(path(&vectors)).unwrap();
                bytes[usize::try_from(damaged).unwrap()] ^= 1;
                fs::write(path(&vectors), bytes).unwrap();
            }
        }
        let exists = |id| id != sample_id(9);
        let size = || fs::metadata(path(&open(dir.path()).0)).unwrap().len();
        let (before, all) = (size(), vectors.read("e", exists).unwrap());
        assert_eq!(all.len(), 3);
        vectors.compact(550, exists).unwrap();
        assert_eq!(size(), before, "550 records may well have so many vectors");
        vectors.compact(2, exists).unwrap();
        assert!(size() < 4 * 4_200, "{}", size());
        for mut vectors in [vectors, open(dir.path()).0] {
            assert_eq!(sorted(vectors.read("e", exists).unwrap()), sorted(all.clone()));
            let more = sample_vector(2, VectorRole::Question, "e", &long(7.0));
            let appended = vectors.append(vec![more.clone()]).unwrap();
            vectors.accept(appended);
            assert!(vectors.read("e", exists).unwrap().contains(&more));
        }
    }

    fn sorted(mut vectors: Vec<StoredVector>) -> Vec<StoredVector> {
        vectors.sort_by_key(|v| (v.record, role_byte(v.role)));
        vectors
    }

    #[test]
    fn a_file_with_a_damaged_header_is_removed_with_a_message() {
        let (dir, path, vector) = one_vector();
        let whole = fs::read(&path).unwrap();
        for n in [0, 7, 9, 13, 17, 20] {
            let mut damaged = whole.clone();
            damaged[n] ^= 1;
            fs::write(&path, damaged).unwrap();
            let (vectors, report) = open(dir.path());
            assert_eq!(vectors.read("e", |_| true).unwrap(), [], "byte {n}");
            assert!(report.messages[0].contains("they are computed anew"), "{report:?}");
            assert!(!path.exists());
        }
        fs::write(&path, &whole).unwrap();
        assert_eq!(open(dir.path()).0.read("e", |_| true).unwrap(), [vector]);
    }

    #[test]
    fn a_newer_file_is_refused_and_kept() {
        let (dir, path, _) = one_vector();
        let mut newer = fs::read(&path).unwrap();
        newer[7] = VERSION + 1;
        let crc = crc32fast::hash(&newer[..FIXED_HEADER + 1]).to_le_bytes();
        newer[FIXED_HEADER + 1..FIXED_HEADER + 5].copy_from_slice(&crc);
        fs::write(&path, &newer).unwrap();
        let error = Vectors::open(dir.path(), &mut OpenReport::default()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TooNew);
        assert_eq!(fs::read(&path).unwrap(), newer);
    }
}
