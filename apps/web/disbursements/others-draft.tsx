import { unreadDraftWords } from '@case-platform/words/disbursement-states';
import { placeInWords } from '@case-platform/words/whereabouts';
import type { SeenDisbursement } from '../api/api-shapes.ts';
import { RefreshOnChange } from '../live/refresh-on-change.tsx';
import { Time } from '../look/clock.tsx';
import { Link } from '../look/link.tsx';
import { Notice } from '../look/notice.tsx';
import { PageFrame } from '../look/page-frame.tsx';
import { RefreshOnReturn } from '../look/refresh-on-return.tsx';
import { DisbursementStepper } from './disbursement-stepper.tsx';

/** Another person's draft in a list, which says only that it exists and whose it is (DRAFT-1). */
export function OthersDraftRow({ draft, caseName }: { draft: SeenDisbursement; caseName?: string | undefined }) {
  const { name, why } = unreadDraftWords(draft.status, draft.submitted_by.name);
  const { label, mark } = placeInWords(draft.whereabouts.state);
  return (
    <Link className="list-row" href={`/disbursements/${draft.id}`}>
      <span className="row-who col-span-full font-medium max-sm:whitespace-normal!">{name}</span>
      <span className="col-span-full flex items-center justify-between gap-4">
        <span className="row-what quiet min-w-0 whitespace-normal!">{[why, caseName].filter(Boolean).join(' · ')}</span>
        <span className={`state-pill flex-none ${mark}`}>{label}</span>
      </span>
      <span className="row-note whitespace-normal!">
        Written <Time inText at={draft.created_at} />
      </span>
    </Link>
  );
}

/** Another person's draft as staff of its case see it, without its content (DRAFT-1). */
export function OthersDraftPage({ draft }: { draft: SeenDisbursement }) {
  const { name, why } = unreadDraftWords(draft.status, draft.submitted_by.name);
  const { label, mark } = placeInWords(draft.whereabouts.state);
  return (
    <PageFrame
      narrow
      title={name}
      lead={
        <>
          Request <span className="mono">{draft.id}</span>
        </>
      }
    >
      <RefreshOnReturn />
      <RefreshOnChange caseId={draft.case_id} />
      <section className="panel mb-6 p-5" aria-label="Where the money is">
        <div className="mb-4 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          <Link className="link" href={`/cases/${draft.case_id}`}>
            Open the case
          </Link>
          <span className={`state-pill ${mark}`}>{label}</span>
        </div>
        <DisbursementStepper disbursement={draft} />
        <p className="mt-3 text-small">
          Written <Time inText at={draft.created_at} />
        </p>
      </section>
      <Notice kind="info" title={why} />
    </PageFrame>
  );
}
