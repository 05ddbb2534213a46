import type { ReactNode } from 'react';

interface Props {
  id: string;
  label: string;
  hint?: string;
  error?: string | undefined;
  children: ReactNode;
}

/** A label, its control, and its error. The control must name `${id}-error` in `aria-describedby`. */
export function Field({ id, label, hint, error, children }: Props) {
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error !== undefined && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

interface TextAreaProps extends Omit<Props, 'hint' | 'children'> {
  value: string;
  maxLength: number;
  onChange: (value: string) => void;
}

/** A field for a few lines of text. */
export function TextAreaField({ id, label, error, value, maxLength, onChange }: TextAreaProps) {
  return (
    <Field id={id} label={label} error={error}>
      <textarea
        id={id}
        dir="auto"
        className="textarea w-full text-base-content"
        rows={3}
        maxLength={maxLength}
        value={value}
        aria-invalid={error !== undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
