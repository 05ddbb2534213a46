import { type Html, html } from '@case-platform/lib/html';
import { dayInText, exactDayWords, fullDayWords, longDayWords, shortDayWords } from '@case-platform/words/day-words';
import { type Clock, dayOf } from '@case-platform/words/days';
import { languageOfDates } from '@case-platform/words/formats';
import { exactTimeWords, shortTimeInText, shortTimeWords } from '@case-platform/words/times';

/** A moment as an element: short to read, exact on hover and for screen readers. */
export function timeElement(at: Date, clock: Clock, words: string = shortTimeWords(at, clock)): Html {
  const exact = exactTimeWords(at, clock);
  const shown = html`<span aria-hidden="true">${words}</span><span class="sr-only">${exact}</span>`;
  return html`<time datetime="${at.toISOString()}" title="${exact}" ${dateLanguage()}>${shown}</time>`;
}

/** The same within a sentence: "yesterday". */
export function timeElementInText(at: Date, clock: Clock): Html {
  return timeElement(at, clock, shortTimeInText(at, clock));
}

/** The day since when something has been there, as an element: "November 22, 2026", also on that day. */
export function sinceElement(at: Date, clock: Clock): Html {
  return timeElement(at, clock, longDayWords(dayOf(at, clock.zone)));
}

/** A day of the calendar as an element, with the whole date on hover and for screen readers. */
export function dayElement(day: string, clock: Clock, words: string = shortDayWords(day, clock)): Html {
  const exact = fullDayWords(day);
  const shown = html`<span aria-hidden="true">${words}</span><span class="sr-only">${exact}</span>`;
  return html`<time datetime="${day}" title="${exact}" ${dateLanguage()}>${shown}</time>`;
}

function dateLanguage(): Html {
  const language = languageOfDates();
  return language === undefined ? html`` : html`lang="${language}"`;
}

/** The same element after a verb: "tomorrow", "on Tue, Nov 24". */
export function dayElementInText(day: string, clock: Clock): Html {
  return dayElement(day, clock, dayInText(day, clock));
}

/** The day on which money arrives as an element, always exact: "Tue, Nov 24". */
export function arrivalElement(day: string, clock: Clock): Html {
  return dayElement(day, clock, exactDayWords(day, clock));
}
