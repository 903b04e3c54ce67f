//! Transforms.

use super::Work;
use crate::batch::{NttBatch, Places};
use crate::csr::{check_len, check_multiple};
use crate::error::Result;
use crate::field::Field;
use crate::values::{DeviceVec, NttTables};
use crate::vocabulary::{Direction, Transform};

impl Work {
    /// Tables for a size that the field has and a root `omega` of exactly that order (both checked). Of a
    /// device of kernels, those that others have already.
    pub fn ntt_tables<F: Field>(&self, n: usize, omega: F::Ark) -> Result<NttTables<F>> {
        Ok(NttTables::new(self.call.transforms::<F>().tables(n, omega)?, n))
    }

    /// NTT in natural order on both sides, over the coset `shift·<omega>` (`shift` nonzero; one for none), of
    /// the vectors of that size that lie one after the other in `vector`. After a failure its contents are
    /// undefined.
    pub fn ntt<F: Field>(
        &self,
        tables: &NttTables<F>,
        vector: &mut DeviceVec<F>,
        direction: Direction,
        shift: F::Ark,
    ) -> Result<()> {
        self.ntt_rows(tables, vector, Transform::new(direction, shift))
    }

    /// As [`Work::ntt`], in any order.
    pub fn ntt_rows<F: Field>(
        &self,
        tables: &NttTables<F>,
        vector: &mut DeviceVec<F>,
        transform: Transform<F::Ark>,
    ) -> Result<()> {
        let (n, len) = (tables.size(), vector.len());
        check_multiple("NTT vector", n, len)?;
        self.ntt_in_place(tables, vector, Places::rows(n, len / n), transform)
    }

    /// The transforms of a batch, in place; what is not of the batch stays. After a failure the contents are
    /// undefined.
    pub fn ntt_batch<F: Field>(
        &self,
        tables: &NttTables<F>,
        vector: &mut DeviceVec<F>,
        batch: NttBatch,
        transform: Transform<F::Ark>,
    ) -> Result<()> {
        let places = batch.places("NTT vector", tables.size(), vector.len())?;
        self.ntt_in_place(tables, vector, places, transform)
    }

    fn ntt_in_place<F: Field>(
        &self,
        tables: &NttTables<F>,
        vector: &mut DeviceVec<F>,
        places: Places,
        transform: Transform<F::Ark>,
    ) -> Result<()> {
        transform.order.check(places.n)?;
        self.call.transforms::<F>().in_place(&tables.held, &mut vector.held, places, transform)
    }

    /// The transforms of the vectors of `input` that are a batch `from`, to a batch `to` of as many in
    /// `output`, whose other elements stay, as all of `input` does. After a failure the contents of `output`
    /// are undefined.
    pub fn ntt_into<F: Field>(
        &self,
        tables: &NttTables<F>,
        (input, from): (&DeviceVec<F>, NttBatch),
        (output, to): (&mut DeviceVec<F>, NttBatch),
        transform: Transform<F::Ark>,
    ) -> Result<()> {
        let n = tables.size();
        transform.order.check(n)?;
        let from = from.places("NTT vector", n, input.len())?;
        let to = to.places("NTT result", n, output.len())?;
        check_len("vectors of the NTT's result", from.count, to.count)?;
        let (input, output) = ((&input.held, from), (&mut output.held, to));
        self.call.transforms::<F>().into(&tables.held, input, output, transform)
    }
}
