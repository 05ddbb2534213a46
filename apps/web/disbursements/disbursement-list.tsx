import type { Case, Disbursement } from '../api/api-shapes.ts';
import type { Me } from '../session/session-shapes.ts';
import { RequestRow } from './disbursement-row.tsx';

interface Props {
  title: string;
  requests: readonly Disbursement[];
  me: Me;
  /** Whose names stand at the rows; none where all requests are of one case. */
  cases?: readonly Case[];
}

/** Some requests under a heading; nothing when there are none. */
export function RequestList({ title, requests, me, cases = [] }: Props) {
  if (requests.length === 0) return null;
  const names = new Map(cases.length > 1 ? cases.map(({ id, name }) => [id, name]) : []);
  return (
    <section>
      <h2 className="section-title">{title}</h2>
      <ul className="row-list panel overflow-hidden">
        {requests.map((request) => (
          <li key={request.id}>
            <RequestRow request={request} me={me} caseName={names.get(request.case_id)} />
          </li>
        ))}
      </ul>
    </section>
  );
}
