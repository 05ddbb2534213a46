'use client';

import { useState } from 'react';
import { setPreference } from '../look/preferences.ts';

const CHOICES = [
  { value: 'system', words: 'Same as this device' },
  { value: 'light', words: 'Light' },
  { value: 'dark', words: 'Dark' },
] as const;

type Choice = (typeof CHOICES)[number]['value'];

export function ThemeChoice({ initial }: { initial: Choice }) {
  const [chosen, setChosen] = useState<Choice>(initial);
  const choose = (value: Choice) => {
    setChosen(value);
    setPreference('theme', value === 'system' ? null : value);
    if (value === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = value;
  };
  return (
    <fieldset>
      <legend className="font-medium">Appearance</legend>
      <div className="mt-2 flex flex-col">
        {CHOICES.map(({ value, words }) => (
          <label key={value} className="flex min-h-11 items-center gap-3">
            <input
              type="radio"
              name="theme"
              className="radio radio-sm radio-primary"
              checked={chosen === value}
              onChange={() => choose(value)}
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
