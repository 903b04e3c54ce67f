//! Transforms.

use super::{Work, other};
use crate::batch::{NttBatch, Places};
use crate::cpu::Cpu;
use crate::csr::{check_len, check_multiple};
use crate::domain::Domain;
use crate::error::Result;
use crate::field::Field;
use crate::kernels::convert;
use crate::kernels::ntt::{self, Call};
use crate::owner::Owner;
use crate::values::{DeviceVec, NttTables, Repr};
use crate::vocabulary::{Direction, Order, Transform};
impl Work {
    /// Tables for a size that the field has and a root `omega` of exactly that order (both checked). Of a device of kernels, those that
    /// others have already.
    pub fn ntt_tables<F: Field>(&self, n: usize, omega: F::Ark) -> Result<NttTables<F>> {
        let repr = match &self.on {
            Repr::Cpu(_) => Repr::Cpu(Cpu.ntt_tables::<F>(n, omega)?),
            Repr::Gpu(stream) => {
                let (domain, field) = (Domain::new::<F>(n)?, Owner::field::<F>());
                domain.check_omega(omega)?;
                let roots = || ntt::roots::<F>(&domain, &ntt::passes_of(stream, &field, domain.log), omega);
                let bytes = convert::device_bytes::<F>(&[omega]);
                Repr::Gpu(ntt::tables(stream, field, domain, bytes, roots)?)
            }
        };
        Ok(NttTables { repr })
    }

    /// NTT in natural order on both sides, over the coset `shift·<omega>` (`shift` nonzero; one for none), of the vectors of that size
    /// that lie one after the other in `vector`. After a
    /// failure its contents are undefined.
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

    /// The transforms of a batch, in place; what is not of the batch stays. After a failure the contents are undefined.
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
        match (&self.on, &tables.repr, &mut vector.repr) {
            (Repr::Cpu(_), Repr::Cpu(tables), Repr::Cpu(values)) => {
                if places.is_rows() && transform.order == Order::Natural {
                    return Cpu.ntt::<F>(tables, values, transform.direction, transform.shift);
                }
                let vectors = Cpu.ntt_of::<F>(tables, values, places, transform)?;
                Cpu::put(vectors, values, places);
                Ok(())
            }
            (Repr::Gpu(stream), Repr::Gpu(tables), Repr::Gpu(buffer)) => {
                stream.uses("vector", buffer)?;
                let call = Call::of::<F>(&transform)?;
                stream.hold(tables.clone());
                ntt::transform(stream, tables, buffer, places, &call)
            }
            _ => other("vector"),
        }
    }

    /// The transforms of the vectors of `input` that are a batch `from`, to a batch `to` of as many in `output`, whose other elements stay, as all of
    /// `input` does. After a failure the contents of `output` are undefined.
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
        match (&self.on, &tables.repr, &input.repr, &mut output.repr) {
            (Repr::Cpu(_), Repr::Cpu(tables), Repr::Cpu(values), Repr::Cpu(output)) => {
                Cpu::put(Cpu.ntt_of::<F>(tables, values, from, transform)?, output, to);
                Ok(())
            }
            (Repr::Gpu(stream), Repr::Gpu(tables), Repr::Gpu(input), Repr::Gpu(output)) => {
                stream.uses("vector", input)?;
                stream.uses("result", output)?;
                let call = Call::of::<F>(&transform)?;
                stream.hold(tables.clone());
                ntt::transform_into(stream, tables, (input, from), (output, to), &call)
            }
            _ => other("vector"),
        }
    }
}
