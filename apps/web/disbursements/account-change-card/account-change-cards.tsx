'use client';

import { counted } from '@case-platform/words/counts';
import { moneyWords } from '@case-platform/words/money';
import {
  type AccountChange,
  accountQuestionWords,
  changedAccountWords,
  firstNameOf,
  groupAccountChanges,
  totalOf,
} from '@case-platform/words/payee-account';
import { Check, MessageCircleQuestion, OctagonAlert } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Disbursement, SeenDisbursement } from '../../api/api-shapes.ts';
import { useClock } from '../../look/clock.tsx';
import { lazyDialog } from '../../look/lazy-dialog.tsx';
import { Link } from '../../look/link.tsx';
import { Notice } from '../../look/notice.tsx';
import { isReadable } from '../disbursement-words.ts';
import type { ApprovalResult } from './approve-together.ts';
import type { Asked } from './question-dialogs.tsx';

const ApproveTogetherDialog = lazyDialog(async () => (await import('./approve-together-dialog.tsx')).ApproveTogetherDialog);
const AskDialog = lazyDialog(async () => (await import('./question-dialogs.tsx')).AskDialog);
const AlarmDialog = lazyDialog(async () => (await import('./question-dialogs.tsx')).AlarmDialog);

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
  const changes = groupAccountChanges(waiting.filter(isReadable));
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

interface CardProps {
  change: AccountChange<Disbursement>;
  onDone: (outcome: Outcome) => void;
}

function ChangeCard({ change, onDone }: CardProps) {
  const { payee, account, payments, total_cents, together, alarm } = change;
  const router = useRouter();
  const clock = useClock();
  const [open, setOpen] = useState<'approve' | 'ask' | 'alarm' | null>(null);
  const first = firstNameOf(payee.name);
  const [about] = payments;
  if (about === undefined) return null;
  const showQuestion = (one: Asked) => {
    setOpen(null);
    onDone({ kind: 'asked', payee: payee.name, asked: one });
    router.refresh();
  };
  const approved = (result: ApprovalResult) => {
    setOpen(null);
    onDone({ kind: 'approved', payee: payee.name, last_four: account.last_four, result });
    router.refresh();
  };
  const close = () => setOpen(null);
  const words = changedAccountWords({ payee: payee.name, account, count: payments.length, total_cents }, clock);
  const draft = accountQuestionWords(payee.name, account, clock);
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
      {open === 'approve' && <ApproveTogetherDialog change={change} onApproved={approved} onClose={close} />}
      {open === 'ask' && <AskDialog about={about} draft={draft} onAsked={showQuestion} onClose={close} />}
      {open === 'alarm' && <AlarmDialog about={about} onAsked={showQuestion} onClose={close} />}
    </Notice>
  );
}

/** The payments behind the total, closed at first. */
function PaymentLines({ change: { payments, together } }: Pick<CardProps, 'change'>) {
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
