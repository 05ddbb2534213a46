import { sql } from '@case-platform/lib/sql';

/**
 * An expression on `disbursement_request d`: the bank has the file of its batch, because someone recorded it or a return proved it
 * (WHERE-2).
 */
export const BANK_HAS_IT = sql`(d.status = 'batched' and exists (
    select from banking_batch_entry sent join banking_batch b on b.id = sent.batch_id
     where sent.disbursement_id = d.id and sent.released_at is null and sent.returned_at is null
       and b.status in ('transmitted', 'settled')))`;
