'use client';

import { counted } from '@case-platform/words/counts';
import { acceptedFiles } from '@case-platform/words/files';
import { MESSAGE_MAX } from '@case-platform/words/limits';
import { Paperclip, SendHorizontal } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useId,
  useRef,
  useState,
} from 'react';
import { ChosenFiles, RefusedFiles } from './chosen-files.tsx';
import type { useFileChoice } from './use-file-choice.ts';

interface Props {
  text: string;
  onText: (text: string) => void;
  choice: ReturnType<typeof useFileChoice>;
  onSend: () => void;
  busy?: boolean;
  placeholder: string;
  inputRef?: Ref<HTMLTextAreaElement>;
  /** Progress of an upload, shown above the buttons. */
  children?: ReactNode;
  tall?: boolean;
}

/** The composer. Files can be chosen, dropped, or pasted, and Cmd or Ctrl with Enter sends. */
export function ComposerBox({ text, onText, choice, onSend, busy = false, placeholder, inputRef, children, tall }: Props) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [dropping, setDropping] = useState(false);
  const length = Array.from(text.trim()).length;
  const tooLong = length > MESSAGE_MAX;
  const canSend = length > 0 && !tooLong && !busy;

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    if (canSend) onSend();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    choice.add(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDropping(false);
    choice.add(event.dataTransfer.files);
  };
  const onDragOver = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setDropping(true);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is an extra; the button does the same for everyone.
    <div
      className="composer"
      data-dropping={dropping ? '' : undefined}
      onDragOver={onDragOver}
      onDragLeave={() => setDropping(false)}
      onDrop={onDrop}
    >
      <RefusedFiles choice={choice} />
      <div className="composer-box">
        <label className="sr-only" htmlFor={id}>
          Message
        </label>
        <textarea
          id={id}
          dir="auto"
          ref={inputRef}
          className={`composer-input ${tall ? 'min-h-40' : ''}`}
          placeholder={dropping ? 'Drop the files here' : placeholder}
          value={text}
          readOnly={busy}
          rows={tall ? 6 : 1}
          aria-describedby={`${id}-hint`}
          aria-invalid={tooLong}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <ChosenFiles choice={choice} disabled={busy} />
        {children}
        <div className="composer-bar">
          <input
            ref={picker}
            type="file"
            multiple
            accept={acceptedFiles()}
            className="sr-only"
            tabIndex={-1}
            aria-label="Files to attach"
            onChange={(event) => {
              choice.add(event.target.files ?? []);
              event.target.value = '';
            }}
          />
          <button type="button" className="btn btn-ghost btn-sm" disabled={busy} onClick={() => picker.current?.click()}>
            <Paperclip size={18} aria-hidden="true" />
            Attach
          </button>
          <span id={`${id}-hint`} className="composer-hint">
            {tooLong ? (
              <span className="field-error">{counted(length - MESSAGE_MAX, 'character')} too long</span>
            ) : (
              <span className="max-sm:hidden pointer-coarse:hidden">Ctrl or ⌘ + Enter to send</span>
            )}
          </span>
          <button type="button" className="btn btn-primary btn-sm" disabled={!canSend} data-busy={busy} onClick={onSend}>
            <SendHorizontal size={18} aria-hidden="true" />
            {busy ? 'Sending…' : 'Send'}
          </button>
        </div>
      </div>
    </div>
  );
}
