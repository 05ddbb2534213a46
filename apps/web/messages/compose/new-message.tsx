'use client';

import { SUBJECT_MAX } from '@case-platform/words/limits';
import { useQuery } from '@tanstack/react-query';
import { ArrowLeft } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useEffect, useId, useRef, useState } from 'react';
import { apiBrowser } from '../../api/api-browser.ts';
import type { Case, Person, Recipients } from '../../api/api-shapes.ts';
import { readDraft, saveDraft } from '../../drafts/drafts.ts';
import { useDraft } from '../../drafts/use-draft.ts';
import { Field } from '../../look/field.tsx';
import { Link } from '../../look/link.tsx';
import { Notice } from '../../look/notice.tsx';
import { useEarlyValue } from '../../look/use-early-value.ts';
import type { Me } from '../../session/session-shapes.ts';
import { UploadProgress } from '../../uploads/upload-progress.tsx';
import { ComposerBox } from './composer-box.tsx';
import { FirstMessageState } from './first-message-state.tsx';
import { RecipientChoice } from './recipient-choice.tsx';
import { useFileChoice } from './use-file-choice.ts';
import { useFirstMessage } from './use-first-message.ts';

interface Props {
  me: Me;
  cases: Case[];
  wantedCase: number | null;
}

export function NewMessage({ me, cases, wantedCase }: Props) {
  const id = useId();
  const router = useRouter();
  const first = cases.find((one) => one.id === wantedCase) ?? cases[0];
  const { entry, isBusy, send, cancel } = useFirstMessage(me.id, 'new', (chainId) => router.replace(`/messages/${chainId}`));
  // A message that is still being sent is shown as it was written.
  const [caseId, setCaseId] = useState(entry?.caseId ?? first?.id ?? null);
  const people = useRecipients(caseId);
  const [chosen, setChosen] = useState<Person[]>(entry?.recipients ?? []);
  const input = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useDraft(me.id, 'new', input);
  const { subject, subjectInput, writeSubject } = useSubject(me.id);
  const choice = useFileChoice(entry?.files);

  const [isIncomplete, setIncomplete] = useState(false);
  const mustChoose = me.userType === 'admin' && chosen.length === 0;
  const submit = () => {
    setIncomplete(mustChoose);
    if (!mustChoose) send({ text, files: choice.files.map(({ file }) => file), subject, caseId, recipients: chosen });
  };

  return (
    <section className="is-focus flex min-h-0 flex-1 flex-col" aria-labelledby={`${id}-title`}>
      <Header titleId={`${id}-title`} />
      <div className="pane-scroll">
        <div className="mx-auto w-full max-w-[52rem] px-4 pt-5">
          {cases.length > 1 && (
            <CaseChoice
              id={`${id}-case`}
              cases={cases}
              caseId={caseId}
              disabled={isBusy}
              onChoose={(chosenCase) => {
                setCaseId(chosenCase);
                // The chosen people belong to the previous case.
                setChosen([]);
              }}
            />
          )}
          <RecipientChoice
            people={people}
            chosen={chosen}
            onChosen={setChosen}
            mustChoose={me.userType === 'admin'}
            disabled={isBusy}
          />
          <Field id={`${id}-subject`} label="Subject" hint="A few words that make it easy to find. Optional.">
            <input
              ref={subjectInput}
              id={`${id}-subject`}
              className="input"
              maxLength={SUBJECT_MAX}
              aria-describedby={`${id}-subject-hint`}
              disabled={isBusy}
              value={subject}
              onChange={({ target }) => writeSubject(target.value)}
            />
          </Field>
          <p className="field-label mb-1.5" aria-hidden="true">
            Message
          </p>
        </div>
        <div className="mx-auto w-full max-w-[52rem] px-1">
          <ComposerBox
            text={text}
            onText={setText}
            inputRef={input}
            choice={choice}
            onSend={submit}
            busy={isBusy}
            placeholder="What would you like to say or ask?"
            tall
          >
            {entry?.state === 'sending' && choice.files.length > 0 && (
              <div className="px-3 py-1">
                <UploadProgress share={entry.progress} onCancel={cancel} />
              </div>
            )}
          </ComposerBox>
          <div className="px-3 pb-6 empty:hidden">
            {isIncomplete && mustChoose ? (
              <Notice kind="error" title="Choose who should receive this message">
                <p>It is saved as a draft.</p>
              </Notice>
            ) : (
              entry !== null && <FirstMessageState entry={entry} onRetry={mustChoose ? undefined : submit} onCancel={cancel} />
            )}
          </div>
        </div>
      </div>
    </section>
  );
}

function Header({ titleId }: { titleId: string }) {
  return (
    <header className="pane-header">
      <Link className="btn btn-ghost btn-square -ms-2 lg:hidden" href="/messages" aria-label="Back to all messages">
        <ArrowLeft size={22} aria-hidden="true" />
      </Link>
      <div>
        <h1 id={titleId} className="pane-title">
          Write a message
        </h1>
      </div>
    </header>
  );
}

interface CaseChoiceProps {
  id: string;
  cases: Case[];
  caseId: number | null;
  disabled: boolean;
  onChoose: (caseId: number) => void;
}

function CaseChoice({ id, cases, caseId, disabled, onChoose }: CaseChoiceProps) {
  return (
    <Field id={id} label="Case">
      <select
        id={id}
        className="select"
        disabled={disabled}
        value={caseId ?? ''}
        onChange={({ target }) => onChoose(Number(target.value))}
      >
        {cases.map((one) => (
          <option key={one.id} value={one.id}>
            {one.name}
          </option>
        ))}
      </select>
    </Field>
  );
}

/** The subject, saved as a draft with every change. */
function useSubject(userId: number) {
  const subjectInput = useRef<HTMLInputElement>(null);
  const [subject, setSubject] = useState('');
  const writeSubject = (words: string) => {
    setSubject(words);
    saveDraft(userId, 'new-subject', words);
  };
  useEarlyValue(subjectInput, '', writeSubject);
  // The draft is read after the first render, because the server does not have it. Text typed until then stays.
  useEffect(() => setSubject((typed) => typed || readDraft(userId, 'new-subject')), [userId]);
  return { subject, subjectInput, writeSubject };
}

/** The people of a case to whom the reader may write (CHAIN-20). */
function useRecipients(caseId: number | null) {
  return useQuery({
    queryKey: ['recipients', caseId],
    queryFn: ({ signal }) => apiBrowser<Recipients>(`/api/messages/recipients?case_id=${caseId}`, { signal }),
    enabled: caseId !== null,
  });
}
