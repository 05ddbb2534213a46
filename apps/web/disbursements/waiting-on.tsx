import type { Disbursement } from '../api/api-shapes.ts';
import { Arrival } from '../look/arrival.tsx';
import { Time } from '../look/clock.tsx';
import { MoneyDay } from '../look/due-day.tsx';
import type { Me } from '../session/session-shapes.ts';
import { isMaker, isWaitingForMe } from './disbursement-words.ts';

interface Props {
  disbursement: Disbursement;
  me: Me;
}

/** Adds to the state of a request who has it, since when, and when its money arrives (REQUEST-14). */
export function WaitingOn({ disbursement, me }: Props) {
  const { status, waiting_since, expected_bank_date: day, paid_at, updated_at, return: back, whereabouts } = disbursement;
  if (status === 'returned') return back?.reason ?? 'The bank sent it back.';
  if (status === 'paid') return <Arrived day={day} paidAt={paid_at ?? updated_at} />;
  if (waiting_since === null) return <Time inText at={updated_at} />;
  const hasDay = whereabouts.arrives !== null || whereabouts.was !== null;
  return (
    <>
      <Holder disbursement={disbursement} me={me} since={waiting_since} />
      {hasDay && (
        <>
          {'\u00a0· '}
          <Arrival whereabouts={whereabouts} />
        </>
      )}
    </>
  );
}

function Arrived({ day, paidAt }: { day: string | null; paidAt: string }) {
  if (day === null) return <Time inText at={paidAt} />;
  return (
    <>
      Arrived <MoneyDay day={day} />
    </>
  );
}

function Holder({ disbursement, me, since }: Props & { since: string }) {
  const { status, approver, submitted_by, whereabouts } = disbursement;
  const when = <Time inText at={since} />;
  if (whereabouts.state === 'send_again')
    return isMaker(disbursement, me) ? (
      <>Waiting for you to send it again since {when}</>
    ) : (
      <>
        With {submitted_by.name} since {when}
      </>
    );
  if (status === 'draft' && isMaker(disbursement, me)) return <>Not sent yet, written {when}</>;
  if (status === 'draft') return <>A draft of {submitted_by.name}, not sent yet</>;
  if (status === 'approved' || whereabouts.state === 'being_sent') return <>With our payments team since {when}</>;
  if (whereabouts.state === 'at_the_bank') return <>With the bank since {when}</>;
  if (!isWaitingForMe(disbursement, me)) {
    return (
      <>
        With {approver?.name ?? 'our staff'} since {when}
      </>
    );
  }
  return (
    <>
      Asked {when} by {submitted_by.name}
    </>
  );
}
