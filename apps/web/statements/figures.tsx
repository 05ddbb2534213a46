/** The totals of a statement. */
export function Figures({ figures }: { figures: readonly (readonly [words: string, amount: string])[] }) {
  return (
    <dl className="panel mb-5 grid grid-cols-2 gap-x-4 gap-y-3 p-4 sm:grid-cols-4">
      {figures.map(([words, amount]) => (
        <div key={words}>
          <dt className="quiet text-small">{words}</dt>
          <dd className="money text-left text-lg font-semibold max-sm:text-base">{amount}</dd>
        </div>
      ))}
    </dl>
  );
}
