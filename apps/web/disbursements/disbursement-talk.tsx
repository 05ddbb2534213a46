'use client';

import { MESSAGE_MAX } from '@case-platform/words/limits';
import { moneyWords } from '@case-platform/words/money';
import { sentence } from '@case-platform/words/sentence';
import { MessagesSquare } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { type FormEvent, useId, useRef, useState } from 'react';
import { apiBrowser } from '../api/api-browser.ts';
import { errorMessage } from '../api/api-error.ts';
import type { Disbursement, StartedChain } from '../api/api-shapes.ts';
import { Link } from '../look/link.tsx';
import { useEarlyValue } from '../look/use-early-value.ts';
import { messageForm } from '../messages/compose/message-form.ts';
import type { Me } from '../session/session-shapes.ts';

/** The conversation about a disbursement, or the form that starts one. */
export function DisbursementTalk({ disbursement, me }: { disbursement: Disbursement; me: Me }) {
  return (
    <section id="conversation" className="scroll-mt-20" aria-label="Conversation">
      <h2 className="section-title">Conversation</h2>
      {disbursement.chain_id === null ? (
        <FirstWords disbursement={disbursement} me={me} />
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

function FirstWords({ disbursement, me }: { disbursement: Disbursement; me: Me }) {
  const id = useId();
  const [text, setText] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  useEarlyValue(field, '', setText);
  const { send, busy, problem } = useFirstWords(disbursement, me);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') void send(text);
  };
  const to = me.userType === 'admin' ? disbursement.submitted_by.name : 'the escrow specialist';
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
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {problem !== null && (
        <p className="field-error mt-2" role="alert">
          {problem} Your message is still here.
        </p>
      )}
      <button type="submit" className="btn btn-sm mt-3" disabled={busy || text.trim() === ''} data-busy={busy}>
        {busy ? 'Sending…' : 'Send message'}
      </button>
    </form>
  );
}

/** Starts a chain and links it to the disbursement. The key stays the same for a retry of the same text (IDEMPOTENCY-1). */
function useFirstWords({ id, case_id, category, amount_cents, submitted_by }: Disbursement, me: Me) {
  const router = useRouter();
  const sent = useRef<{ text: string; key: string } | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const send = async (text: string) => {
    if (busy) return;
    setBusy(true);
    setProblem(null);
    if (sent.current?.text !== text) sent.current = { text, key: crypto.randomUUID() };
    const subject = `Request ${id}: ${sentence(category)}, ${moneyWords(amount_cents)}`;
    const recipients = me.userType === 'admin' ? [submitted_by] : [];
    const form = messageForm({ text, files: [], subject, caseId: case_id, recipients });
    try {
      const { chain } = await apiBrowser<StartedChain>('/api/messages', {
        method: 'POST',
        body: form,
        idempotencyKey: sent.current.key,
      });
      await apiBrowser(`/api/disbursements/${id}/chain`, { method: 'PUT', body: { chain_id: chain.id } });
      router.push(`/messages/${chain.id}`);
    } catch (error) {
      setProblem(errorMessage(error));
      setBusy(false);
    }
  };
  return { send, busy, problem };
}
