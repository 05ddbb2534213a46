import { disbursementStepInWords } from '@case-platform/words/disbursement-states';
import type { Disbursement } from '../api/api-shapes.ts';
import { Time } from '../look/clock.tsx';
import type { Me } from '../session/session-shapes.ts';

/** The steps of a request, newest first, each with its time, person, and reason (REQUEST-15). */
export function DisbursementTimeline({ timeline, me }: { timeline: Disbursement['timeline']; me: Me }) {
  if (timeline.length === 0) return null;
  return (
    <section className="mb-6" aria-labelledby="story">
      <h2 className="section-title" id="story">
        What has happened
      </h2>
      <ol className="timeline">
        {timeline.toReversed().map(({ at, event, by, note }, index) => {
          const { words, isRefusal } = disbursementStepInWords(event);
          const mark = isRefusal ? 'is-refused' : index === 0 ? 'is-now' : '';
          return (
            <li key={`${at} ${event}`} className={`timeline-item ${mark}`}>
              <p className="font-medium">{words}</p>
              <p className="timeline-when">
                {by !== null && `${by.user_id === me.id ? 'You' : by.name} · `}
                <Time at={at} />
              </p>
              {note !== null && <p className="text-small wrap-anywhere whitespace-pre-line">{note}</p>}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
