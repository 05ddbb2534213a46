import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { placeInWords } from '@case-platform/words/whereabouts';
import type { Disbursement, SeenDisbursement } from '../api/api-shapes.ts';
import { Arrival } from '../look/arrival.tsx';
import { Time } from '../look/clock.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';
import { isReadable, isWaitingForMe, progressWords } from './disbursement-words.ts';
import { OthersDraftRow } from './others-draft.tsx';
import { WaitingOn } from './waiting-on.tsx';

interface Props {
  disbursement: Disbursement;
  me: Me;
  /** Set if the list has disbursements of several cases. */
  caseName?: string | undefined;
}

/** One disbursement in a list; a draft that the reader may not read says only whose it is (DRAFT-1). */
export function DisbursementRow({
  disbursement,
  me,
  caseName,
}: Omit<Props, 'disbursement'> & { disbursement: SeenDisbursement }) {
  if (!isReadable(disbursement)) return <OthersDraftRow draft={disbursement} caseName={caseName} />;
  const { id, category, description, payee, amount_cents, status, covered, whereabouts } = disbursement;
  const { label, mark } = placeInWords(whereabouts.state);
  const to = payee.user_id === me.id ? 'to you' : `to ${payee.name}`;
  return (
    <Link className="list-row" href={`/disbursements/${id}`}>
      <span className="col-span-full flex items-start justify-between gap-4">
        <span className="row-who font-medium max-sm:line-clamp-3 max-sm:whitespace-normal!">{description}</span>
        <span className="money flex-none font-semibold">{moneyWords(amount_cents)}</span>
      </span>
      <span className="col-span-full flex items-center justify-between gap-4">
        <span className="row-what quiet min-w-0 whitespace-normal!">
          {[`${sentence(category)} ${to}`, caseName].filter(Boolean).join(' · ')}
        </span>
        <span className={`state-pill flex-none ${mark}`}>{label}</span>
      </span>
      <span className="row-note whitespace-normal!">
        {status === 'submitted' && covered === false && <span className="over-benefit">Not covered · </span>}
        <WaitingOn disbursement={disbursement} me={me} />
      </span>
    </Link>
  );
}

/** One line that says who the disbursement waits for, since when, and when the money arrives (REQUEST-14). */
export function MoneyProgress({ disbursement, me }: Pick<Props, 'disbursement' | 'me'>) {
  const { waiting_since, status, paid_at, updated_at, submitted_by, whereabouts } = disbursement;
  const waits = progressWords(disbursement, me);
  const isMine = isWaitingForMe(disbursement, me);
  if (waits === null) {
    const [words, at] = status === 'paid' ? ['Paid', paid_at] : [placeInWords(whereabouts.state).label, updated_at];
    return (
      <>
        {words} <Time inText at={at ?? updated_at} />
      </>
    );
  }
  return (
    <>
      {isMine ? `Asked by ${submitted_by.name}` : waits}
      {waiting_since !== null && (
        <>
          {isMine ? ', ' : ' since '}
          <Time inText at={waiting_since} />
        </>
      )}
      {(whereabouts.arrives !== null || whereabouts.was !== null) && (
        <>
          {'\u00a0· '}
          <Arrival whereabouts={whereabouts} />
        </>
      )}
    </>
  );
}
