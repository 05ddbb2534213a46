import type { Home } from '../api/api-shapes.ts';
import { DisbursementRow } from '../disbursements/disbursement-row.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

interface Props {
  title: string;
  requests: Home['requests'];
  me: Me;
  nameCases: boolean;
}

export function RequestList({ title, requests, me, nameCases }: Props) {
  if (requests.length === 0) return null;
  return (
    <HomeSection title={title} more={{ href: '/disbursements', words: 'All requests' }}>
      <ul className="row-list panel overflow-hidden">
        {requests.map((request) => (
          <li key={request.id}>
            <DisbursementRow disbursement={request} me={me} caseName={nameCases ? request.case_name : undefined} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}
