'use client';

import { type ReactNode, useEffect, useId, useRef } from 'react';

interface Props {
  title: string;
  children: ReactNode;
  /** The verb on the confirming button; the other button cancels. */
  action: string;
  keep: string;
  busy: boolean;
  /** Whether confirming destroys something. */
  isLoss?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Asks for confirmation. The browser traps the focus and restores it; Escape cancels. */
export function ConfirmDialog({ title, children, action, keep, busy, isLoss = true, onConfirm, onClose }: Props) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="confirm-dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onClose}
    >
      <h2 id={`${id}-title`} className="confirm-title">
        {title}
      </h2>
      <div id={`${id}-text`} className="confirm-text">
        {children}
      </div>
      <div className="confirm-actions">
        <button type="button" className="btn" onClick={() => dialog.current?.close()}>
          {keep}
        </button>
        <button
          type="button"
          className={`btn ${isLoss ? 'btn-error' : 'btn-primary'}`}
          disabled={busy}
          onClick={onConfirm}
        >
          {action}
        </button>
      </div>
    </dialog>
  );
}
