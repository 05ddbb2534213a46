import { type Html, type HtmlValue, html } from '@case-platform/lib/html';
import { displayName, type User } from '@case-platform/modules/accounts';
import { accountVersion, type BankAccount, type ShownCorrection } from '@case-platform/modules/banking';
import { reasonInWords } from '@case-platform/words/bank-reasons';
import { ACCOUNT_HOLDER_MAX, BANK_NUMBER_FIELD_MAX } from '@case-platform/words/limits';
import { userTypeInWords } from '@case-platform/words/user-types';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices, radioField, refusedAt, textField } from '../form/fields.ts';
import { orConfirmFirst } from '../form/recent-proof.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { emptyState, notice } from '../page/notice.ts';
import { csrfField, shellPage } from '../page/shell.ts';
import { timeElement } from '../page/times.ts';

interface AccountView {
  owner: User;
  account: BankAccount | null;
  /** The correction that the bank sent, if there is one. */
  correction: ShownCorrection | null;
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The bank account of a person who is paid: only its last four digits, for those who may see them. */
export function bankAccountPage(frame: Frame<StaffActor>, view: AccountView): Html {
  const { owner, done, refused } = view;
  const { admin } = frame.actor;
  const name = displayName(owner);
  const content = html`<div class="page">
    <header class="page-header">
      ${backLink(`/users/${owner.id}`, `Back to ${name}`)}
      <h1 class="page-title">${name}’s bank account</h1>
      <p class="page-lead">${userTypeInWords(owner.user_type)}. We pay them to this account.</p>
    </header>
    ${formNotices({ done, refused })}
    ${admin.can('view_bank_accounts') ? shown(frame, view) : notice('info', 'Your role can’t see bank accounts.')}
    ${admin.can('edit_bank_accounts') ? form(frame, view) : ''}
  </div>`;
  return shellPage(frame, { title: `${name}’s bank account`, content });
}

function shown(frame: Frame<StaffActor>, { owner, account, correction }: AccountView): Html {
  if (account === null)
    return html`<div class="panel">
      ${emptyState('landmark', 'No bank account yet', 'We can’t pay them until they add one in their settings.')}
    </div>`;
  const fact = (words: string, value: HtmlValue) => html`<dt>${words}</dt><dd>${value}</dd>`;
  const kind = account.account_kind === 'checking' ? 'Checking' : 'Savings';
  const cools = account.usable_from > frame.clock.now;
  return html`${flag(frame, { owner, account, correction })}
    <dl class="facts">
      ${fact('Holder', account.holder_name)}
      ${fact('Account', html`${kind}, ending in <span class="mono">${account.last_four}</span>`)}
      ${fact('Routing number', html`<span class="mono">${account.routing_number}</span>`)}
      ${fact('Added', timeElement(account.created_at, frame.clock))}
      ${fact(
        'In use from',
        html`${timeElement(account.usable_from, frame.clock)}${
          cools ? html` <span class="state-pill is-waiting">Not in use yet</span>` : ''
        }`,
      )}
    </dl>`;
}

type Flag = Pick<AccountView, 'owner' | 'correction'> & { account: BankAccount };

function flag(frame: Frame<StaffActor>, { owner, account, correction }: Flag): Html {
  const { flag_code } = account;
  if (flag_code === null) return html``;
  const words = [reasonInWords(flag_code), ...(correction === null ? [] : correctionWords(correction))];
  const warning = notice('waiting', words.join(' '), `The bank asks for a correction (${flag_code})`);
  const mayUse = correction?.is_usable === true && frame.actor.admin.can('edit_bank_accounts');
  const use = confirmDialog(frame, {
    id: 'use-correction',
    button: 'Use the correction',
    yes: 'Use it',
    no: 'Cancel',
    isLoss: false,
    title: 'Use the bank’s correction?',
    text: 'This changes the account: we tell the owner, approved requests need approval again, and we start using it in 48 hours at the earliest.',
    action: `/bank-accounts/${owner.id}/correction`,
    fields: { version: accountVersion(account) },
  });
  return html`<div class="form-problem">${warning}${mayUse ? html`<p class="mt-3">${use}</p>` : ''}</div>`;
}

/** The parts of a correction, one sentence each. */
function correctionWords(correction: ShownCorrection): string[] {
  const { holder_name, routing_number, last_four, account_kind, identification, other } = correction;
  const parts: [string, string | undefined][] = [
    ['Account holder', holder_name],
    ['Routing number', routing_number],
    ['Account number ending in', last_four],
    ['Kind of account', account_kind],
    ['Reference', identification],
    ['From the bank', other],
  ];
  return parts.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}.`]));
}

function form(frame: Frame<StaffActor>, { owner, account, ...view }: AccountView): Html {
  const action = `/bank-accounts/${owner.id}`;
  const refused = refusedAt(action, view.refused);
  const routing = { name: 'routing_number', label: 'Routing number', look: 'input mono', max: BANK_NUMBER_FIELD_MAX };
  // An account number that was typed is never sent back.
  const number = {
    name: 'account_number',
    label: 'Account number',
    look: 'input mono',
    max: BANK_NUMBER_FIELD_MAX,
    isSecret: true,
  };
  const kinds = [
    { id: 'checking', name: 'Checking' },
    { id: 'savings', name: 'Savings' },
  ];
  const fields = html`<form method="post" action="${action}" class="panel padded" autocomplete="off" data-busy-words="Saving…">
    ${csrfField(frame)}
    <input type="hidden" name="version" value="${accountVersion(account)}">
    ${textField({ name: 'holder_name', label: 'Account holder', max: ACCOUNT_HOLDER_MAX }, refused)}
    <div class="field-pair">
      ${textField({ ...routing, more: html`inputmode="numeric"` }, refused)}
      ${textField(number, refused)}
    </div>
    ${radioField({ name: 'account_kind', label: 'Kind', choices: kinds, value: 'checking' }, refused)}
    <p class="field-hint">
      We tell the owner by email and text message. Approved requests need approval again, and we start using the account in 48
      hours at the earliest. Someone else has to approve, sign and send payments to an account you entered.
    </p>
    <div class="form-actions"><button class="btn btn-primary" type="submit">Save account</button></div>
  </form>`;
  return html`<section aria-labelledby="set">
    <h2 class="section-title" id="set">${account === null ? 'Add an account' : 'Change account'}</h2>
    ${orConfirmFirst(frame, view.refused, fields)}
  </section>`;
}
