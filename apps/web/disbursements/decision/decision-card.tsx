'use client';

import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import type { Home } from '../../api/api-shapes.ts';
import { Link } from '../../look/link.tsx';
import type { Me } from '../../session/session-shapes.ts';
import { ReceiptPicture } from '../receipts/receipt-picture.tsx';
import { WaitingOn } from '../waiting-on.tsx';
import { DisbursementDecision } from './disbursement-decision.tsx';
import type { Outcome } from './outcome-words.ts';

interface Props {
  /** The id of the card, which gets the focus after the decision about another one. */
  id: string;
  request: Home['decisions'][number];
  me: Me;
  nameCases: boolean;
  ignoresTaps: () => boolean;
  onDecided: (outcome: Outcome) => void;
}

/** A request with its receipts and everything else that the reader needs to decide about it right here. */
export function DecisionCard({ id, request, me, nameCases, ...decision }: Props) {
  const { amount_cents, description, category, payee, case_name, files } = request;
  return (
    <article id={id} className="panel @container p-4" tabIndex={-1} aria-labelledby={`${id}-title`}>
      <div className="grid gap-x-5 gap-y-3 @lg:grid-cols-[minmax(0,1fr)_minmax(0,1.15fr)] @lg:items-start">
        <div className="@lg:col-start-2 @lg:row-start-1">
          <div className="flex items-start justify-between gap-4">
            <h3 id={`${id}-title`} className="min-w-0 font-medium wrap-anywhere">
              <Link className="link" href={`/disbursements/${request.id}`}>
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
        </div>
        <div className="@lg:col-start-1 @lg:row-span-2 @lg:row-start-1">
          {files.length === 0 ? (
            <p className="no-receipt">No receipt was added.</p>
          ) : (
            <ul className="flex flex-wrap gap-3 @lg:[&_img]:max-h-96" aria-label="Receipts">
              {files.map((file) => (
                <li key={file.id} className="max-w-full">
                  <ReceiptPicture file={file} />
                </li>
              ))}
            </ul>
          )}
        </div>
        <div className="@lg:col-start-2 @lg:row-start-2">
          <DisbursementDecision disbursement={request} isListed {...decision} />
        </div>
      </div>
    </article>
  );
}
