'use client';

import { PERSON_NAME_MAX, PHONE_FIELD_MAX } from '@case-platform/words/limits';
import { useRouter } from 'next/navigation';
import { type InputHTMLAttributes, useId, useState } from 'react';
import { useForm } from 'react-hook-form';
import { accountProblem, fieldProblems } from '../api/account-words.ts';
import { apiBrowser, updateSession } from '../api/api-browser.ts';
import type { Profile } from '../api/api-shapes.ts';
import { Field } from '../look/field.tsx';
import { Notice } from '../look/notice.tsx';

interface Fields {
  first_name: string;
  last_name: string;
  phone: string;
}

interface TextField extends Pick<InputHTMLAttributes<HTMLInputElement>, 'type' | 'autoComplete' | 'maxLength'> {
  name: 'first_name' | 'last_name' | 'phone';
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

/** The part of the profile that a person may change; only what was changed is sent. */
export function ProfileForm({ profile }: { profile: Profile }) {
  const id = useId();
  const router = useRouter();
  const [said, setSaid] = useState<{ kind: 'done' | 'error'; words: string } | null>(null);
  const { register, handleSubmit, setError, reset, formState } = useForm<Fields>({
    defaultValues: fieldsOf(profile),
  });
  // What was typed before the scripts were there has changed the form once it is ready, and not before.
  const { errors, isSubmitting, isReady, isDirty, dirtyFields } = formState;

  const submit = handleSubmit(async (fields) => {
    setSaid(null);
    const { phone, ...others } = fields;
    const all = { ...others, phone: phone.trim() === '' ? null : phone };
    const body = Object.fromEntries(Object.entries(all).filter(([name]) => name in dirtyFields));
    try {
      const saved = await apiBrowser<Profile>('/api/user/me', { method: 'PATCH', body });
      reset(fieldsOf(saved));
      setSaid({ kind: 'done', words: 'Your profile is saved.' });
      await updateSession().catch(() => undefined);
      router.refresh();
    } catch (error) {
      const problems = Object.entries(fieldProblems(error)).filter(([name]) => name in fields);
      for (const [name, message] of problems) setError(name as keyof Fields, { message }, { shouldFocus: true });
      if (problems.length === 0) setSaid({ kind: 'error', words: accountProblem(error) });
    }
  });

  return (
    <form method="post" className="panel p-5" onSubmit={submit} noValidate aria-label="Your details">
      {said !== null && <Notice kind={said.kind} title={said.words} className="mb-5" />}
      <div className="grid gap-x-4 sm:grid-cols-2">
        {TEXT_FIELDS.map(({ name, label, hint, required, ...input }) => (
          <div key={name} className={name === 'phone' ? 'sm:col-span-2' : ''}>
            <Field id={`${id}-${name}`} label={label} error={errors[name]?.message} {...(hint ? { hint } : {})}>
              <input
                {...input}
                id={`${id}-${name}`}
                className="input"
                defaultValue={fieldsOf(profile)[name]}
                aria-invalid={errors[name] !== undefined}
                aria-describedby={[hint && `${id}-${name}-hint`, errors[name] && `${id}-${name}-error`]
                  .filter(Boolean)
                  .join(' ')}
                {...register(name, {
                  validate: (value) => required === undefined || value.trim() !== '' || required,
                })}
              />
            </Field>
          </div>
        ))}
      </div>
      <button type="submit" className="btn btn-primary" disabled={isSubmitting || !isReady || !isDirty}>
        {isSubmitting ? 'Saving…' : 'Save changes'}
      </button>
    </form>
  );
}

function fieldsOf({ first_name, last_name, phone }: Profile): Fields {
  return { first_name, last_name, phone: phone ?? '' };
}
