import 'client-only';
import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from 'react';

type Values<Name extends string> = Record<Name, string>;
type Problems<Name extends string> = Partial<Record<Name, string>>;

interface Options<Name extends string> {
  /** The initial values. Problems are shown in the order of these fields. */
  initial: Values<Name>;
  /** The check of each field, which returns its problem in words, or null. */
  rules: { [One in Name]?: (text: string, values: Values<Name>) => string | null };
  /** Called with all values after each change. */
  onType?: (values: Values<Name>) => void;
  /** Shows the problem of a field when the person leaves it, and not only when the form is sent. */
  checksOnBlur?: boolean;
}

/**
 * The uncontrolled text fields of a form: the document has their values, so that text typed before the scripts run is not lost
 * (PAGE-4). Problems are shown when the form is sent, and from then on as the person types. Every form with more than one field
 * or with rules uses this. A field that is not a text (radio buttons) needs only its name.
 */
export function useTextFields<Name extends string>({ initial, rules, onType, checksOnBlur = false }: Options<Name>) {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState(initial);
  const [errors, setErrors] = useState<Problems<Name>>({});
  const [isSubmitting, setSubmitting] = useState(false);
  // Two quick presses come before the page is rendered again.
  const isRunning = useRef(false);
  const isLeaving = useRef(false);
  const names = Object.keys(initial) as Name[];
  const element = (name: Name) => form.current?.elements.namedItem(name) as HTMLInputElement | null | undefined;
  const read = () => Object.fromEntries(names.map((name) => [name, element(name)?.value ?? initial[name]])) as Values<Name>;
  const readEarlyText = useEffectEvent(() => setValues(read()));
  useEffect(() => readEarlyText(), []);

  const check = (name: Name, all: Values<Name>) => rules[name]?.(all[name], all) ?? undefined;
  const showProblem = (name: Name, problem: string | undefined) =>
    setErrors(({ [name]: _, ...others }) => withProblem(others, name, problem));
  const handleChange = (name: Name) => {
    const now = read();
    setValues(now);
    if (errors[name] !== undefined) showProblem(name, check(name, now));
    onType?.(now);
  };
  /** Shows the problems and focuses the first field that has one. @returns true if there is one. */
  const showProblems = (problems: Problems<Name>): boolean => {
    setErrors(problems);
    const first = names.find((name) => problems[name] !== undefined);
    if (first !== undefined) focusOn(form.current?.elements.namedItem(first));
    return first !== undefined;
  };
  return {
    form,
    values,
    errors,
    isSubmitting,
    read,
    showProblems,
    control: (name: Name) => ({
      name,
      defaultValue: initial[name],
      'aria-invalid': errors[name] !== undefined,
      onChange: () => handleChange(name),
      onBlur: () => {
        const problem = checksOnBlur ? check(name, read()) : undefined;
        if (problem !== undefined) showProblem(name, problem);
      },
    }),
    set: (name: Name, text: string) => {
      const field = element(name);
      if (field) field.value = text;
      handleChange(name);
    },
    /** Opens the next page after the form was sent. Until that is shown, the form cannot be sent again. */
    leave: (open: () => void) => {
      isLeaving.current = true;
      open();
    },
    /** Sends the form if it has no problems and is not being sent already. */
    submit: (send: (values: Values<Name>) => Promise<void>) => async (event: FormEvent) => {
      event.preventDefault();
      const now = read();
      const problems = names.reduce((all, name) => withProblem(all, name, check(name, now)), {} as Problems<Name>);
      if (isRunning.current || showProblems(problems)) return;
      isRunning.current = true;
      setSubmitting(true);
      await send(now).finally(() => {
        if (isLeaving.current) return;
        isRunning.current = false;
        setSubmitting(false);
      });
    },
  };
}

/** Focuses a control, or the first one of a group of radio buttons. */
function focusOn(control: Element | RadioNodeList | null | undefined): void {
  const target = control instanceof RadioNodeList ? control[0] : control;
  if (target instanceof HTMLElement) target.focus();
}

function withProblem<Name extends string>(problems: object, name: Name, problem: string | undefined): Problems<Name> {
  return (problem === undefined ? problems : { ...problems, [name]: problem }) as Problems<Name>;
}
