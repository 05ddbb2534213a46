import { commonPeriods, type Period } from '@case-platform/words/days';
import { STATEMENT_PDF_MAX } from '@case-platform/words/limits';
import { PDF_IS_TOO_LONG } from '@case-platform/words/money';
import { Download } from 'lucide-react';
import { Link } from '../look/link.tsx';
import { PrintButton } from './print-button.tsx';

interface Props {
  path: string;
  /** The period that is shown; undefined if the requested one is invalid. */
  period: Period | undefined;
  /** The requested days, which stay in the fields to be corrected. */
  query: Partial<Period>;
  /** The API path of the statement, also for its files. */
  source: `/api/${string}`;
  /** The problem of the requested period, in words. */
  problem?: string | undefined;
  /** The number of rows that are shown. */
  rows?: number;
}

/** The form for the period of a statement, which is in the URL, and the links to its files. */
export function PeriodBar({ path, period, query, source, problem, rows = 0 }: Props) {
  const { from = '', to = '' } = period ?? query;
  const isTooLong = rows > STATEMENT_PDF_MAX;
  const formats = isTooLong ? (['csv'] as const) : (['pdf', 'csv'] as const);
  const file = (format: 'csv' | 'pdf') => `${source}?${new URLSearchParams({ from, to, format })}`;
  return (
    <search className="no-print mb-5 block">
      <nav
        aria-label="Common periods"
        className="mb-3 flex flex-wrap gap-2 max-sm:grid max-sm:grid-cols-2 max-sm:[&>:first-child]:col-span-2"
      >
        {commonPeriods(new Date()).map((one) => (
          <Link
            key={one.words}
            className="btn btn-sm"
            href={`${path}?from=${one.from}&to=${one.to}`}
            aria-current={one.from === from && one.to === to ? 'true' : undefined}
          >
            {one.words}
          </Link>
        ))}
      </nav>
      <form method="get" action={path} className="flex flex-wrap items-end gap-2">
        <DayField name="from" label="From" day={from} isWrong={problem !== undefined} />
        <DayField name="to" label="To" day={to} isWrong={problem !== undefined} />
        <button type="submit" className="btn max-sm:basis-full">
          Show
        </button>
        {period !== undefined && (
          <span className="flex flex-wrap gap-2 max-sm:basis-full max-sm:[&>*]:flex-1 sm:ms-auto">
            {formats.map((format) => (
              <a key={format} className="btn" href={file(format)} download>
                <Download size={16} aria-hidden="true" />
                {format.toUpperCase()}
              </a>
            ))}
            <PrintButton />
          </span>
        )}
      </form>
      {isTooLong && <p className="field-hint mt-2">{PDF_IS_TOO_LONG}</p>}
      {problem !== undefined && (
        <p id="period-problem" className="field-error mt-2" role="alert">
          {problem}
        </p>
      )}
    </search>
  );
}

function DayField({ name, label, day, isWrong }: { name: string; label: string; day: string; isWrong: boolean }) {
  return (
    <label className="grid gap-1 text-small max-sm:min-w-36 max-sm:flex-1">
      {label}
      <input
        type="date"
        name={name}
        className="input sm:w-40!"
        defaultValue={day}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? 'period-problem' : undefined}
      />
    </label>
  );
}
