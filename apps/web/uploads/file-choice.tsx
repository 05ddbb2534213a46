'use client';

import { type ReactNode, useRef } from 'react';

interface Props {
  /** The name of the control for screen readers. */
  label: string;
  accept: string;
  disabled?: boolean;
  primary?: boolean;
  /** In the size of the buttons of a form. */
  large?: boolean;
  /** True to open the camera on a phone. */
  capture?: boolean;
  multiple?: boolean;
  children: ReactNode;
  /** Gets the first chosen file, and all of them. */
  onChoose: (file: File, all: File[]) => void;
}

/** A button that opens the file dialog. The same file can be chosen again, for example after an error. */
export function FileChoice({ label, accept, disabled = false, children, onChoose, ...looks }: Props) {
  const { primary = false, large = false, capture = false, multiple = false } = looks;
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        className="sr-only"
        aria-label={label}
        accept={accept}
        disabled={disabled}
        multiple={multiple}
        {...(capture ? { capture: 'environment' } : {})}
        tabIndex={-1}
        onChange={(event) => {
          const all = [...(event.target.files ?? [])];
          event.target.value = '';
          const [file] = all;
          if (file !== undefined) onChoose(file, all);
        }}
      />
      <button
        type="button"
        className={`btn ${large ? '' : 'btn-sm'} ${primary ? 'btn-primary' : ''}`}
        disabled={disabled}
        onClick={() => input.current?.click()}
      >
        {children}
      </button>
    </>
  );
}
