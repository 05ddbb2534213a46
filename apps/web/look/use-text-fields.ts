import 'client-only';
import { type ChangeEvent, type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';

type Values<Name extends string> = Record<Name, string>;
type Problems<Name extends string> = Partial<Record<Name, string>>;

interface Options<Name extends string> {
  /** The initial values. */
  initial: Values<Name>;
  /** The check of each field, which returns its problem in words, or null. */
  rules: { [One in Name]?: (text: string) => string | null };
  /** Called with all values after each change. */
  onType?: (values: Values<Name>) => void;
}

/**
 * The uncontrolled text fields of a form: the document has their values, so that text typed before the scripts run is not lost
 * (PAGE-4). Problems are shown when the form is sent, and from then on as the person types.
 */
export function useTextFields<Name extends string>({ initial, rules, onType }: Options<Name>) {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Problems<Name>>({});
  const [isSubmitting, setSubmitting] = useState(false);
  const names = Object.keys(initial) as Name[];
  const element = (name: Name) => form.current?.elements.namedItem(name) as HTMLInputElement | null | undefined;
  const read = () => Object.fromEntries(names.map((name) => [name, element(name)?.value ?? initial[name]])) as Values<Name>;
  const look = useEffectEvent(() => setValues(read()));
  useEffect(() => look(), []);

  const check = (name: Name, text: string) => rules[name]?.(text) ?? undefined;
  const typed = (name: Name) => {
    const now = read();
    setValues(now);
    if (errors[name] !== undefined) setErrors(({ [name]: _, ...others }) => withProblem(others, name, check(name, now[name])));
    onType?.(now);
  };
  /** Shows the problems and focuses the first field that has one. @returns true if there is one. */
  const refuse = (problems: Problems<Name>): boolean => {
    setErrors(problems);
    const first = names.find((name) => problems[name] !== undefined);
    if (first !== undefined) element(first)?.focus();
    return first !== undefined;
  };
  return {
    form,
    values,
    errors,
    isSubmitting,
    read,
    refuse,
    control: (name: Name) => ({
      name,
      defaultValue: initial[name],
      'aria-invalid': errors[name] !== undefined,
      onChange: (_: ChangeEvent<HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement>) => typed(name),
    }),
    set: (name: Name, text: string) => {
      const field = element(name);
      if (field) field.value = text;
      typed(name);
    },
    /** Sends the form if it has no problems and is not being sent already. */
    submit: (send: (values: Values<Name>) => Promise<void>) => async (event: FormEvent) => {
      event.preventDefault();
      const now = read();
      const problems = names.reduce((all, name) => withProblem(all, name, check(name, now[name])), {} as Problems<Name>);
      if (isSubmitting || refuse(problems)) return;
      setSubmitting(true);
      await send(now).finally(() => setSubmitting(false));
    },
  };
}

function withProblem<Name extends string>(problems: object, name: Name, problem: string | undefined): Problems<Name> {
  return (problem === undefined ? problems : { ...problems, [name]: problem }) as Problems<Name>;
}
