import { Type } from 'typebox';
import { Id, NullableTime, Person, Time } from '../schemas.ts';

/** The shapes of proofs of funds (PROOF-1, PROOF-4). */

export const ProofOut = Type.Object(
  {
    case_id: Id,
    amount_cents: Type.Integer(),
    made_at: Time,
    expires_at: Time,
    holds: Type.Boolean({ description: 'The case still has at least this much available, and it was not withdrawn.' }),
    withdrawn_at: NullableTime,
  },
  { title: 'ProofOfFunds' },
);

export const IssuedProofOut = Type.Object(
  {
    id: Id,
    ...ProofOut.properties,
    code: Type.String(),
    addressee: Type.String(),
    issued_by: Person,
    may_withdraw: Type.Boolean({ description: 'Whether the caller can withdraw it: its issuer, and staff.' }),
  },
  { title: 'IssuedProof' },
);
export const PdfFile = { 200: { content: { 'application/pdf': { schema: Type.String({ format: 'binary' }) } } } };
