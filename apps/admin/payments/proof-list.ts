import { type Html, html } from '@case-platform/lib/html';
import type { IssuedProof } from '@case-platform/modules/banking';
import type { CaseOutline } from '@case-platform/modules/cases';
import { tableDayWords } from '@case-platform/words/day-words';
import { dayOf } from '@case-platform/words/days';
import { confirmDialog } from '../form/confirm-dialog.ts';
import { formNotices } from '../form/fields.ts';
import type { RefusedForm } from '../form/refused-form.ts';
import type { StaffActor } from '../guards/visitors.ts';
import { backLink } from '../page/back-link.ts';
import type { Frame } from '../page/frame.ts';
import { money } from '../page/money.ts';
import { emptyState } from '../page/notice.ts';
import { shellPage } from '../page/shell.ts';
import { timeElementInText } from '../page/times.ts';

interface ProofList {
  outline: CaseOutline;
  /** Newest first. */
  proofs: IssuedProof[];
  done: string | undefined;
  refused: RefusedForm | undefined;
}

/** The proofs of funds that were issued for a case, each with its page and, for those who may, *Withdraw* (PROOF-4). */
export function proofListPage(frame: Frame<StaffActor>, { outline, proofs, done, refused }: ProofList): Html {
  const back = `Back to the balance of ${outline.name}`;
  const nothing = emptyState(
    'file-text',
    'No proof was issued yet',
    'Parents issue these letters to a clinic or an attorney on their case’s page. Each one is listed here.',
  );
  const content = html`<div class="page is-roomy">
    <header class="page-header">
      ${backLink(`/cases/${outline.id}/money`, back)}
      <h1 class="page-title">Proofs of funds</h1>
      <p class="page-lead">
        Letters that say how much <a class="link" href="/cases/${outline.id}">${outline.name}</a> had available. Anyone with the
        code of a letter can check it for 90 days.
      </p>
    </header>
    ${formNotices({ done, refused })}
    <div class="panel">
      ${proofs.length === 0 ? nothing : html`<ul class="row-list">${proofs.map((proof) => row(frame, proof))}</ul>`}
    </div>
  </div>`;
  return shellPage(frame, { title: `Proofs of funds of ${outline.name}`, content });
}

function row(frame: Frame<StaffActor>, proof: IssuedProof): Html {
  const { addressee, amount_cents, code, issued_by, made_at } = proof;
  return html`<li class="list-row is-plain">
    <span class="row-who">${addressee}</span>
    <span class="row-when">${money(amount_cents)}</span>
    <span class="row-what quiet">Issued by ${issued_by.name}, ${timeElementInText(made_at, frame.clock)}</span>
    <span class="row-state">${state(frame, proof)}</span>
    <div class="row-note button-line mt-3">
      <a class="btn btn-sm" href="${frame.webUrl}/proof/${code}">See its page</a>
      ${proof.may_withdraw ? withdrawDialog(frame, proof) : ''}
    </div>
  </li>`;
}

function state({ clock }: Frame, { withdrawn_at, holds, expires_at }: IssuedProof): Html {
  const day = (at: Date) => tableDayWords(dayOf(at.getTime(), clock.zone));
  if (withdrawn_at !== null) return html`<span class="state-pill is-refused">Withdrawn ${day(withdrawn_at)}</span>`;
  if (!holds) return html`<span class="state-pill is-waiting">No longer holds</span>`;
  return html`<span class="state-pill is-done">Holds until ${day(expires_at)}</span>`;
}

function withdrawDialog(frame: Frame, { id, case_id, addressee }: IssuedProof): Html {
  return confirmDialog(frame, {
    id: `withdraw-${id}`,
    button: 'Withdraw',
    yes: 'Withdraw it',
    no: 'Cancel',
    title: 'Withdraw this proof of funds?',
    text: `Its page will tell everyone who checks the code of ${addressee} that it was withdrawn. You can’t undo this.`,
    action: `/cases/${case_id}/proofs/${id}/withdraw`,
    look: 'btn btn-sm btn-ghost',
  });
}
