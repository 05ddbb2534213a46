'use client';

import { counted } from '@case-platform/words/counts';
import { exactDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { moneyWords } from '@case-platform/words/money';
import { changedAccountWords, firstNameOf } from '@case-platform/words/payee-account';
import { sentence } from '@case-platform/words/sentence';
import { Check, MessageCircleQuestion, OctagonAlert } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { SeenDisbursement } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import { ConfirmDialog } from '../../look/confirm-dialog.tsx';
import { Link } from '../../look/link.tsx';
import { Notice } from '../../look/notice.tsx';
import { type ApprovalResult, approveTogether } from './approve-together.ts';
import { type AccountChange, groupAccountChanges, totalOf } from './group-account-changes.ts';
import { AlarmDialog, AskDialog, type Asked } from './question-dialogs.tsx';

type Outcome =
  | { kind: 'approved'; payee: string; last_four: string; result: ApprovalResult }
  | { kind: 'asked'; payee: string; asked: Asked };

/**
 * One card for each payee whose account changed after the reader approved payments for the previous one (BANK-9). It stays on the
 * page after the refresh that removes its requests, to say what was done.
 */
export function AccountChangeCards({ waiting }: { waiting: readonly SeenDisbursement[] }) {
  const [outcomes, setOutcomes] = useState<Outcome[]>([]);
  const add = (outcome: Outcome) => setOutcomes((before) => [...before, outcome]);
  const changes = groupAccountChanges(waiting);
  if (changes.length === 0 && outcomes.length === 0) return null;
  return (
    <section aria-label="Changed bank accounts" className="mb-6 grid gap-3">
      <div aria-live="polite" className="grid gap-3 empty:hidden">
        {outcomes.map((outcome, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: outcomes are only appended
          <OutcomeNotice key={index} outcome={outcome} />
        ))}
      </div>
      {changes.map((change) => (
        <ChangeCard key={change.payee.user_id} change={change} onDone={add} />
      ))}
    </section>
  );
}

function ChangeCard({ change, onDone }: { change: AccountChange; onDone: (outcome: Outcome) => void }) {
  const { payee, account, payments, total_cents, together, alarm } = change;
  const router = useRouter();
  const clock = useClock();
  const [open, setOpen] = useState<'approve' | 'ask' | 'alarm' | null>(null);
  const first = firstNameOf(payee.name);
  const [about] = payments;
  if (about === undefined) return null;
  const asked = (one: Asked) => {
    setOpen(null);
    onDone({ kind: 'asked', payee: payee.name, asked: one });
    router.refresh();
  };
  const close = () => setOpen(null);
  const words = changedAccountWords({ payee: payee.name, account, count: payments.length, total_cents }, clock);
  const day = exactDayWords(dayOf(new Date(account.changed_at).getTime(), clock.zone), clock);
  const draft = `Hi ${first}, on ${day} your bank account was changed to one ending in ${account.last_four}. Was that you?`;
  return (
    <Notice kind="waiting" title={words.title}>
      <p suppressHydrationWarning>{words.text}</p>
      <PaymentLines change={change} />
      {alarm !== null ? (
        <p className="mt-3">
          {alarm.is_own ? 'You' : alarm.raised_by_name} stopped all payments to {payee.name}. The escrow specialist is checking
          this.{' '}
          {alarm.is_own && alarm.chain_id !== null && (
            <Link className="link" href={`/messages/${alarm.chain_id}`}>
              Open the conversation
            </Link>
          )}
        </p>
      ) : (
        <p className="mt-3 flex flex-wrap gap-2">
          {together.length > 0 && (
            <button type="button" className="btn btn-primary" onClick={() => setOpen('approve')}>
              <Check size={18} aria-hidden="true" />
              Approve for …{account.last_four}
            </button>
          )}
          <button type="button" className="btn" onClick={() => setOpen('ask')}>
            <MessageCircleQuestion size={18} aria-hidden="true" />
            Ask {first}
          </button>
          <button type="button" className="btn" onClick={() => setOpen('alarm')}>
            <OctagonAlert size={18} aria-hidden="true" />I don’t trust this
          </button>
        </p>
      )}
      {open === 'approve' && <ApproveDialog change={change} onDone={onDone} onClose={close} />}
      {open === 'ask' && <AskDialog about={about} draft={draft} onAsked={asked} onClose={close} />}
      {open === 'alarm' && <AlarmDialog about={about} onAsked={asked} onClose={close} />}
    </Notice>
  );
}

/** The payments behind the total, closed at first. */
function PaymentLines({ change: { payments, together } }: { change: AccountChange }) {
  const apart = payments.length - together.length;
  return (
    <details className="mt-2">
      <summary className="cursor-pointer">
        {payments.length === 1 ? 'See the payment' : `See the ${payments.length} payments`}
      </summary>
      <ul className="mt-1">
        {payments.map((payment) => (
          <li key={payment.id} className="flex items-baseline justify-between gap-4 py-1">
            <Link className="link min-w-0 wrap-anywhere" href={`/disbursements/${payment.id}`}>
              {payment.description}
            </Link>
            <span className="money flex-none">
              {!together.includes(payment) && <span className="quiet">separately · </span>}
              {moneyWords(payment.amount_cents)}
            </span>
          </li>
        ))}
      </ul>
      {apart > 0 && (
        <p className="quiet mt-1">
          {apart === 1 ? 'One of them' : `${apart} of them`} can’t be approved here, because the contract limit, the balance, or
          something else needs a look first. Decide about {apart === 1 ? 'it' : 'them'} separately.
        </p>
      )}
    </details>
  );
}

interface ApproveProps {
  change: AccountChange;
  onDone: (outcome: Outcome) => void;
  onClose: () => void;
}

function ApproveDialog({ change: { payee, account, together, payments }, onDone, onClose }: ApproveProps) {
  const router = useRouter();
  const [tried, setTried] = useState<number | null>(null);
  // A refresh of the page while they are approved must not change the list.
  const [chosen] = useState(together);
  const [all] = useState(payments.length);
  const what = chosen.length === 1 ? 'this payment' : `${chosen.length} payments`;
  const approve = async () => {
    setTried(0);
    const result = await approveTogether(chosen, setTried);
    onDone({ kind: 'approved', payee: payee.name, last_four: account.last_four, result });
    onClose();
    router.refresh();
  };
  return (
    <ConfirmDialog
      title={`Approve ${what} for …${account.last_four}?`}
      action={`Approve ${moneyWords(totalOf(chosen))}`}
      doing={`Approving ${Math.min((tried ?? 0) + 1, chosen.length)} of ${chosen.length}…`}
      keep="Cancel"
      isLoss={false}
      busy={tried !== null}
      onConfirm={approve}
      onClose={onClose}
    >
      <p className="mb-3">
        Only approve if {payee.name} told you about the account ending in {account.last_four}, in person or on a number that you
        know. We set the money aside and send it once the account can be used.
      </p>
      <ul className="mb-3">
        {chosen.map(({ id, category, description, amount_cents }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 py-1">
            <span className="min-w-0 wrap-anywhere">
              {description}
              <span className="quiet block">{sentence(category)}</span>
            </span>
            <span className="money flex-none">{moneyWords(amount_cents)}</span>
          </li>
        ))}
      </ul>
      {all > chosen.length && (
        <p className="mb-3">{counted(all - chosen.length, 'payment')} not listed here still waits for you.</p>
      )}
    </ConfirmDialog>
  );
}

function OutcomeNotice({ outcome }: { outcome: Outcome }) {
  if (outcome.kind === 'asked') return <AskedNotice payee={outcome.payee} asked={outcome.asked} />;
  const { approved, refused } = outcome.result;
  const total = moneyWords(totalOf(approved));
  const isWhole = refused.length === 0;
  const title = isWhole
    ? `Approved ${counted(approved.length, 'payment')}, ${total}, for …${outcome.last_four}`
    : `Approved ${approved.length} of ${counted(approved.length + refused.length, 'payment')}, ${total}`;
  return (
    <Notice kind={isWhole ? 'done' : 'error'} title={title}>
      {isWhole ? (
        <p>The money is set aside for {outcome.payee}. Each request shows when it should arrive.</p>
      ) : (
        <ul className="list-disc pl-5">
          {refused.map(({ payment, why }) => (
            <li key={payment.id}>
              {moneyWords(payment.amount_cents)} for {payment.description} wasn’t approved. {why}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function AskedNotice({ payee, asked: { chain_id, stopped } }: { payee: string; asked: Asked }) {
  const title = stopped ? `All payments to ${payee} are stopped` : `We sent your question to ${payee}`;
  return (
    <Notice kind="done" title={title}>
      <p>
        {stopped
          ? 'The escrow specialist was notified, and lets them continue once everything is in order.'
          : 'You’ll be notified of the answer. The requests keep waiting for you.'}{' '}
        {chain_id !== null && (
          <Link className="link" href={`/messages/${chain_id}`}>
            Open the conversation
          </Link>
        )}
      </p>
    </Notice>
  );
}
