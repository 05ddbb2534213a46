import type { Case, SeenDisbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';
import { DisbursementRow } from './disbursement-row.tsx';

interface Props {
  title: string;
  disbursements: readonly SeenDisbursement[];
  me: Me;
  /** The cases to name in the rows; empty if all disbursements belong to one case. */
  cases?: readonly Case[];
}

/** Renders nothing, not even the heading, if the list is empty. */
export function DisbursementList({ title, disbursements, me, cases = [] }: Props) {
  if (disbursements.length === 0) return null;
  const names = new Map(cases.length > 1 ? cases.map(({ id, name }) => [id, name]) : []);
  return (
    <section>
      <h2 className="section-title">{title}</h2>
      <ul className="row-list panel overflow-hidden">
        {disbursements.map((disbursement) => (
          <li key={disbursement.id}>
            <DisbursementRow disbursement={disbursement} me={me} caseName={names.get(disbursement.case_id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
