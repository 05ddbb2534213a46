import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { Home } from '../api/api-shapes.ts';
import { DisbursementDecision } from '../disbursements/disbursement-decision.tsx';
import { ReceiptPicture } from '../disbursements/receipts/receipt-picture.tsx';
import { WaitingOn } from '../disbursements/waiting-on.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

interface Props {
  decisions: Home['decisions'];
  me: Me;
  /** True if the reader has several cases, so that each request names its own. */
  nameCases: boolean;
}

/** The requests that the reader can decide about right here, with their receipts. */
export function Decisions({ decisions, me, nameCases }: Props) {
  if (decisions.length === 0) return null;
  return (
    <HomeSection title="Waiting for your approval" more={{ href: '/disbursements', words: 'All requests' }}>
      <ul className="grid gap-4">
        {decisions.map((request) => (
          <li key={request.id}>
            <Decision request={request} me={me} nameCases={nameCases} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

interface DecisionProps extends Pick<Props, 'me' | 'nameCases'> {
  request: Home['decisions'][number];
}

function Decision({ request, me, nameCases }: DecisionProps) {
  const { id, amount_cents, description, category, payee, case_name, files } = request;
  return (
    <article className="panel p-4" aria-labelledby={`decision-${id}`}>
      <div className="flex items-start justify-between gap-4">
        <h3 id={`decision-${id}`} className="min-w-0 font-medium wrap-anywhere">
          <Link className="link" href={`/disbursements/${id}`}>
            {description}
          </Link>
        </h3>
        <span className="money flex-none text-xl font-semibold">{moneyWords(amount_cents)}</span>
      </div>
      <p className="mt-1">
        {sentence(category)} to <strong className="font-medium">{payee.name}</strong>
        {nameCases && ` · ${case_name}`}
      </p>
      <p className="quiet text-small">
        <WaitingOn disbursement={request} me={me} />
      </p>
      {files.length > 0 && (
        <ul className="mt-3 flex flex-wrap gap-3" aria-label="Receipts">
          {files.map((file) => (
            <li key={file.id} className="max-w-full">
              <ReceiptPicture file={file} />
            </li>
          ))}
        </ul>
      )}
      {files.length === 0 && <p className="quiet mt-3 text-small">No receipt was added.</p>}
      <DisbursementDecision disbursement={request} plain />
    </article>
  );
}
