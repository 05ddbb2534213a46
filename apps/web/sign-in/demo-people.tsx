import type { DemoPerson } from '@case-platform/words/sign-in/demo-people';

interface Props {
  people: readonly DemoPerson[];
  disabled: boolean;
  onChoose: (person: DemoPerson) => void;
}

/** The people of the demo, each with one sentence (DEMO-4). */
export function DemoPeople({ people, disabled, onChoose }: Props) {
  return (
    <section className="demo-people" aria-labelledby="demo-people">
      <h2 id="demo-people" className="section-title">
        Look around as
      </h2>
      <p>Everything here is invented. Choose a person to see the platform with their eyes.</p>
      <ul className="panel row-list">
        {people.map((person) => (
          <li key={person.email_address}>
            <button type="button" className="list-row demo-person" disabled={disabled} onClick={() => onChoose(person)}>
              <span className="row-who">{person.name}</span>
              <span className="row-when">{person.role}</span>
              <span className="row-what">{person.sentence}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
