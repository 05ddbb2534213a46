import { caseStateInWords } from '@case-platform/words/case-states';
import { counted } from '@case-platform/words/counts';
import { waitingWithoutDay } from '@case-platform/words/disbursement-states';
import { moneyWords } from '@case-platform/words/money';
import { shortfallWords } from '@case-platform/words/projection/shortfall';
import type { ReactNode } from 'react';
import type { Case, CaseAtALook } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import { Link } from '../look/link.tsx';

type Overview = Pick<CaseAtALook, 'money' | 'shortfall' | 'open_requests' | 'stuck' | 'unread_count'>;

interface Props {
  one: Pick<Case, 'id' | 'name' | 'status' | 'updated_at'>;
  overview: Overview | undefined;
}

/** One case in a list: its state, its money, the request that waits longest, and its unread messages. */
export function CaseRow({ one, overview }: Props) {
  const { words, mark } = caseStateInWords(one.status);
  const money = overview?.money ?? null;
  return (
    <Link className="list-row" href={`/cases/${one.id}`}>
      <span className="row-who font-medium">
        {one.name} <span className="quiet text-small font-normal">#{one.id}</span>
      </span>
      <span className="flex items-center gap-3">
        {money !== null && (
          <span className="money max-sm:hidden">
            {moneyWords(money.available_cents)}
            <span className="sr-only"> available</span>
          </span>
        )}
        {/* The same width in every row keeps the amounts aligned. */}
        <span className="flex justify-end sm:min-w-34">
          <span className={`state-pill ${mark}`}>{words}</span>
        </span>
      </span>
      <span className="row-note whitespace-normal!">
        {overview === undefined ? <LastChanged at={one.updated_at} /> : <OverviewNote one={one} overview={overview} />}
      </span>
    </Link>
  );
}

function OverviewNote({
  one,
  overview: { shortfall, open_requests, stuck, unread_count },
}: Required<Props> & { overview: Overview }) {
  const parts: ReactNode[] = [
    stuck === null ? open_requests > 0 && counted(open_requests, 'open request') : <Stuck key="stuck" stuck={stuck} />,
    unread_count > 0 && counted(unread_count, 'unread message'),
    shortfall !== null && shortfallWords(shortfall),
  ].filter((part) => part !== false);
  if (parts.length === 0) return <LastChanged at={one.updated_at} />;
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts never change places.
    <span key={at}>
      {at > 0 && ' · '}
      {part}
    </span>
  ));
}

function Stuck({ stuck: { waiting_for, waiting_since, waiting_for_me } }: { stuck: NonNullable<Overview['stuck']> }) {
  return (
    <>
      {waiting_for_me ? 'Waiting for you' : waiting_for !== null && waitingWithoutDay(waiting_for)}
      {waiting_since !== null && (
        <>
          {' since '}
          <Time inText at={waiting_since} />
        </>
      )}
    </>
  );
}

function LastChanged({ at }: { at: string }) {
  return (
    <>
      Last changed <Time inText at={at} />
    </>
  );
}
