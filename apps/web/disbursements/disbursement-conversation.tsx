'use client';

import { MESSAGE_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { MessagesSquare } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useId, useRef } from 'react';
import type { Disbursement } from '../api/api-shapes.ts';
import { useDraft } from '../drafts/use-draft.ts';
import { Link } from '../look/link.tsx';
import { FirstMessageState } from '../messages/compose/first-message-state.tsx';
import { useFirstMessage } from '../messages/compose/use-first-message.ts';
import type { Me } from '../session/session-shapes.ts';

/** The conversation about a disbursement, or the form that starts one. */
export function DisbursementConversation({ disbursement, me }: { disbursement: Disbursement; me: Me }) {
  return (
    <section id="conversation" className="scroll-mt-20" aria-label="Conversation">
      <h2 className="section-title">Conversation</h2>
      {disbursement.chain_id === null ? (
        <FirstMessage disbursement={disbursement} me={me} />
      ) : (
        <Link className="list-row panel" href={`/messages/${disbursement.chain_id}`}>
          <span className="row-lead">
            <span className="attachment-mark" aria-hidden="true">
              <MessagesSquare />
            </span>
          </span>
          <span className="row-who">Open the conversation</span>
          <span className="row-note">What was written about this request</span>
        </Link>
      )}
    </section>
  );
}

/** The form for the first message about a request. The conversation that it starts is linked to the request. */
function FirstMessage({ disbursement, me }: { disbursement: Disbursement; me: Me }) {
  const { id: disbursementId, case_id: caseId, category, amount_cents, submitted_by } = disbursement;
  const id = useId();
  const router = useRouter();
  const field = useRef<HTMLTextAreaElement>(null);
  const place = `about-${disbursementId}` as const;
  const [text, setText] = useDraft(me.id, place, field);
  const { entry, isBusy, send, cancel } = useFirstMessage(me.id, place, (chainId) => router.push(`/messages/${chainId}`));
  const submit = (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy || text.trim() === '') return;
    const subject = `Request ${disbursementId}: ${sentence(category)}, ${moneyWords(amount_cents)}`;
    const recipients = me.userType === 'admin' ? [submitted_by] : [];
    send({ text, files: [], subject, caseId, recipients, disbursementId });
  };
  const to = me.userType === 'admin' ? submitted_by.name : 'the escrow specialist';
  return (
    <form className="panel p-4" onSubmit={submit}>
      <label className="field-label" htmlFor={`${id}-text`}>
        Ask {to} about this request
      </label>
      <textarea
        id={`${id}-text`}
        ref={field}
        className="textarea mt-1.5 w-full"
        rows={2}
        maxLength={MESSAGE_MAX}
        readOnly={isBusy}
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      <div className="mt-3 empty:hidden">
        {entry !== null && <FirstMessageState entry={entry} onRetry={() => submit()} onCancel={cancel} />}
      </div>
      <button type="submit" className="btn btn-sm mt-3" disabled={isBusy || text.trim() === ''} data-busy={isBusy}>
        {isBusy ? 'Sending…' : 'Send message'}
      </button>
    </form>
  );
}
