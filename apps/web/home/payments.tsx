import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { placeInWords } from '@case-platform/words/whereabouts';
import { CalendarClock, CircleCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Home, Payment } from '../api/api-shapes.ts';
import { MoneyDay } from '../look/due-day.tsx';
import { Link } from '../look/link.tsx';
import type { Me } from '../session/session-shapes.ts';
import { HomeSection } from './home-section.tsx';

/** The next scheduled payment; once a batch contains it, with its place and the day on which it arrives. */
export function NextPayment({ next, payments, me }: Pick<Home, 'payments'> & { next: Home['next_scheduled']; me: Me }) {
  if (next === null) return null;
  const underWay = payments.find((one) => one.state === 'batched' && one.disbursement_id === next.disbursement_id);
  const to = next.payee === null ? '' : `, to ${next.payee.user_id === me.id ? 'you' : next.payee.name}`;
  return (
    <HomeSection title="Next payment">
      <Row
        href={next.disbursement_id === null ? `/cases/${next.case_id}` : `/disbursements/${next.disbursement_id}`}
        what={next.description || sentence(next.category)}
        cents={next.amount_cents}
        icon={<CalendarClock />}
      >
        {underWay === undefined ? (
          <>
            {next.status === 'requested' ? 'Requested, planned for ' : 'Planned for '}
            <MoneyDay day={next.due_date} />
          </>
        ) : (
          <>
            {underWay.label}
            {underWay.date !== null && (
              <>
                , {underWay.label === placeInWords('at_the_bank').label ? 'arrives' : 'should arrive'}{' '}
                <MoneyDay day={underWay.date} />
              </>
            )}
          </>
        )}
        {to}
      </Row>
    </HomeSection>
  );
}

export function RecentPayments({ payments, me }: Pick<Home, 'payments'> & { me: Me }) {
  const arrived = payments.filter(({ state }) => state === 'paid').slice(0, 5);
  if (arrived.length === 0) return null;
  return (
    <HomeSection title="Paid in the last two weeks">
      <ul className="row-list panel overflow-hidden">
        {arrived.map((payment) => (
          <li key={payment.disbursement_id}>
            <RecentPayment payment={payment} me={me} />
          </li>
        ))}
      </ul>
    </HomeSection>
  );
}

function RecentPayment({ payment, me }: { payment: Payment; me: Me }) {
  const { disbursement_id, description, amount_cents, date, payee } = payment;
  return (
    <Row href={`/disbursements/${disbursement_id}`} what={description} cents={amount_cents} icon={<CircleCheck />} plain>
      {date !== null && (
        <>
          Arrived <MoneyDay day={date} />
        </>
      )}
      , to {payee.user_id === me.id ? 'you' : payee.name}
    </Row>
  );
}

interface RowProps {
  href: string;
  what: string;
  cents: number;
  icon: ReactNode;
  /** Set in a list, which draws the panel itself. */
  plain?: boolean;
  children: ReactNode;
}

function Row({ href, what, cents, icon, plain = false, children }: RowProps) {
  return (
    <Link className={`list-row ${plain ? '' : 'panel'}`} href={href}>
      <span className="row-lead">
        <span className="attachment-mark" aria-hidden="true">
          {icon}
        </span>
      </span>
      <span className="row-who max-sm:line-clamp-3 max-sm:whitespace-normal!">{what}</span>
      <span className="row-when money text-base font-semibold text-base-content">{moneyWords(cents)}</span>
      <span className="row-what quiet whitespace-normal!">{children}</span>
    </Link>
  );
}
