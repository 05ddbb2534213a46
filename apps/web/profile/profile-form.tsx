'use client';

import { PERSON_NAME_MAX, PHONE_FIELD_MAX } from '@case-platform/words/limits';
import { useRouter } from 'next/navigation';
import { type InputHTMLAttributes, useId, useState } from 'react';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser } from '../api/api-browser.ts';
import type { Profile } from '../api/api-shapes.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';
import { useTextFields } from '../look/use-text-fields.ts';

type Fields = Record<'first_name' | 'last_name' | 'phone', string>;

interface TextField extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'autoComplete' | 'maxLength'> {
  name: keyof Fields;
  label: string;
  required?: string;
  hint?: string;
}

const TEXT_FIELDS: readonly TextField[] = [
  {
    name: 'first_name',
    label: 'First name',
    autoComplete: 'given-name',
    maxLength: PERSON_NAME_MAX,
    required: 'Enter your first name.',
  },
  {
    name: 'last_name',
    label: 'Last name',
    autoComplete: 'family-name',
    maxLength: PERSON_NAME_MAX,
    required: 'Enter your last name.',
  },
  {
    name: 'phone',
    label: 'Phone',
    type: 'tel',
    autoComplete: 'tel',
    maxLength: PHONE_FIELD_MAX,
    hint: 'With the country code, like +1 202 555 0143. Sign-in codes can go to it.',
  },
];

const RULES = Object.fromEntries(
  TEXT_FIELDS.flatMap(({ name, required }) =>
    required === undefined ? [] : [[name, (text: string) => (text.trim() === '' ? required : null)]],
  ),
);

/** The part of the profile that a person can change (ACCOUNT-2). Only changed fields are sent. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const id = useId();
  const router = useRouter();
  const [message, setMessage] = useState<{ kind: 'done' | 'error'; words: string } | null>(null);
  const [saved, setSaved] = useState(() => fieldsOf(profile));
  const { form, values, errors, isSubmitting, control, showProblems, set, submit } = useTextFields<keyof Fields>({
    initial: fieldsOf(profile),
    rules: RULES,
  });
  const editedFields = TEXT_FIELDS.filter(({ name }) => values[name] !== saved[name]);

  const save = submit(async (fields) => {
    setMessage(null);
    const all = { ...fields, phone: fields.phone.trim() === '' ? null : fields.phone };
    const body = Object.fromEntries(editedFields.map(({ name }) => [name, all[name]]));
    try {
      const now = fieldsOf(await apiBrowser<Profile>('/api/user/me', { method: 'PATCH', body }));
      setSaved(now);
      for (const { name } of TEXT_FIELDS) set(name, now[name]);
      setMessage({ kind: 'done', words: 'Your profile is saved.' });
      router.refresh();
    } catch (error) {
      const problems = Object.entries(fieldProblems(error)).filter(([name]) => name in fields);
      if (!showProblems(Object.fromEntries(problems))) setMessage({ kind: 'error', words: accountProblem(error) });
    }
  });

  return (
    <form ref={form} method="post" className="panel p-5" onSubmit={save} noValidate aria-label="Your details">
      {message !== null && <Notice kind={message.kind} title={message.words} className="mb-5" />}
      <div className="grid gap-x-4 sm:grid-cols-2">
        {TEXT_FIELDS.map(({ name, label, hint, required, ...input }) => (
          <div key={name} className={name === 'phone' ? 'sm:col-span-2' : ''}>
            <Field id={`${id}-${name}`} label={label} error={errors[name]} {...(hint ? { hint } : {})}>
              <input
                {...input}
                id={`${id}-${name}`}
                className="input"
                aria-describedby={[hint && `${id}-${name}-hint`, errors[name] && `${id}-${name}-error`].filter(Boolean).join(' ')}
                {...control(name)}
              />
            </Field>
          </div>
        ))}
      </div>
      <button
        type="submit"
        className="btn btn-primary"
        disabled={isSubmitting || editedFields.length === 0}
        data-busy={isSubmitting}
      >
        {isSubmitting ? 'Saving…' : 'Save changes'}
      </button>
    </form>
  );
}

function fieldsOf({ first_name, last_name, phone }: Profile): Fields {
  return { first_name, last_name, phone: phone ?? '' };
}
