import { initials } from '@case-platform/words/names';
import { Headset } from 'lucide-react';

interface Props {
  name: string;
  /** The role in words, or what else is worth knowing. */
  note: string;
  staff?: boolean;
  small?: boolean;
}

/** A person: initials, name and role in words. */
export function PersonLine({ name, note, staff = false, small = false }: Props) {
  return (
    <span className="person">
      <Avatar name={name} staff={staff} small={small} />
      <span>
        <span className="person-name">{name}</span>
        <span className="person-role">{note}</span>
      </span>
    </span>
  );
}

/** The round mark of a person, or of the escrow team where no name is known. The name always stands beside it. */
export function Avatar({ name, staff = false, small = false }: Omit<Props, 'note'>) {
  return (
    <span className={`avatar-mark ${staff ? 'is-staff' : ''} ${small ? 'is-small' : ''}`} aria-hidden="true">
      {name === '' ? <Headset /> : initials(name)}
    </span>
  );
}
