-- The deliveries of one channel and of one event, newest first; those of a state and of a person have their index.
create index delivery_channel_idx on delivery (channel, id desc);
create index delivery_event_idx on delivery (event, id desc);

create index agency_name_idx on agency (lower(name), id);
