'use client';

import { OTPField } from '@base-ui/react/otp-field';
import { useHydrated } from '../look/use-hydrated.ts';

export const CODE_DIGITS = 6;

interface Props {
  id: string;
  value: string;
  onValue: (value: string) => void;
  onComplete: (value: string) => void;
  disabled: boolean;
  invalid: boolean;
  describedBy: string;
}

/**
 * The six boxes. They are rendered in the browser only, because their hidden helper has a style attribute, which the
 * Content-Security-Policy rejects in a page but not from a script.
 */
export function CodeBoxes({ id, value, onValue, onComplete, disabled, invalid, describedBy }: Props) {
  const hydrated = useHydrated();
  if (!hydrated) return <div className="code-input h-14" aria-hidden="true" />;
  return (
    <OTPField.Root
      id={id}
      className="code-input"
      length={CODE_DIGITS}
      value={value}
      onValueChange={onValue}
      onValueComplete={onComplete}
      disabled={disabled}
      aria-describedby={describedBy}
      aria-invalid={invalid}
    >
      {Array.from({ length: CODE_DIGITS }, (_, index) => (
        <OTPField.Input
          // biome-ignore lint/suspicious/noArrayIndexKey: the boxes are their positions.
          key={index}
          className="code-box"
          aria-label={index === 0 ? undefined : `Digit ${index + 1} of ${CODE_DIGITS}`}
          autoFocus={index === 0}
        />
      ))}
    </OTPField.Root>
  );
}
