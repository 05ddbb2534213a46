'use client';

import { Eye, EyeOff } from 'lucide-react';
import { type InputHTMLAttributes, type Ref, useState } from 'react';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'className'> {
  ref?: Ref<HTMLInputElement>;
  /** The name of the field in the button's label. */
  what?: string;
}

export function PasswordInput({ what = 'password', ...rest }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <input {...rest} className="input pe-12" type={shown ? 'text' : 'password'} autoCapitalize="none" spellCheck={false} />
      <button
        type="button"
        className="btn btn-ghost btn-square absolute end-0 top-0 z-10"
        aria-label={`Show ${what}`}
        aria-pressed={shown}
        title={shown ? `Hide ${what}` : `Show ${what}`}
        onClick={() => setShown(!shown)}
      >
        {shown ? <EyeOff size={20} aria-hidden="true" /> : <Eye size={20} aria-hidden="true" />}
      </button>
    </div>
  );
}
