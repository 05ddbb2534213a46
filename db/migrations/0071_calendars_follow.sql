-- In a file of its own: whoever waits, waits for one table. With the owner's rights: who may change a case need not be allowed to change
-- its calendar.
create function mark_calendar() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
declare ended boolean := new.status in ('closed', 'cancelled');
begin
  update scheduled_payment set case_ended = ended where case_id = new.id and case_ended <> ended;
  return null;
end
$$;
create trigger case_file_marks_its_calendar after update of status on case_file for each row
  when ((old.status in ('closed', 'cancelled')) <> (new.status in ('closed', 'cancelled'))) execute function mark_calendar();
