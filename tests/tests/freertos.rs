//! FreeRTOS, fact by fact: every case has exactly the outcomes that it should, over the bare kernel and on QEMU, with every
//! interleaving and with a reduction.

use std::collections::BTreeSet;

use fwvs_explore::Rung;
use fwvs_tests::Memory;
use fwvs_tests::cases::{self, Case, by_task, outcomes};
use fwvs_tests::judge::Judge;
use fwvs_tests::target::Target;

fn check<S: Judge<Error: std::fmt::Debug>>(case: &Case, system: &mut S) {
    let texts = |outcomes: &BTreeSet<String>| outcomes.iter().cloned().collect::<Vec<String>>();
    let mut expected: Vec<String> = case.expected.iter().map(|text| (*text).to_owned()).collect();
    expected.sort();
    let all = outcomes(case, system, Rung::None).expect("it runs");
    assert_eq!(texts(&all), expected, "{}: every interleaving", case.name);
    let reduced = outcomes(case, system, Rung::Source).expect("it runs");
    assert!(reduced.is_subset(&all), "{}: {reduced:?} with a reduction, of {all:?}", case.name);
    let reduced = by_task(reduced.iter().map(String::as_str));
    assert_eq!(reduced, by_task(case.expected.iter().copied()), "{}: with a reduction", case.name);
}

fn named(name: &str) -> Case {
    cases::all().into_iter().find(|case| case.name == name).expect("a case of the table")
}

fn in_memory(name: &str) {
    let case = named(name);
    check(&case, &mut Memory::new(&case.program));
}

fn on_qemu(name: &str) {
    let case = named(name);
    let target = Target::program(&case.program);
    let mut session = target.open_under(target.qemu(), case.program.rules).expect("it starts");
    check(&case, &mut session);
}

/// Two tests a fact, both of its name.
macro_rules! facts {
    ($($name:ident)*) => {
        mod in_memory {
            $(#[test] fn $name() { super::in_memory(stringify!($name)); })*
        }
        mod on_qemu {
            $(#[test] fn $name() { super::on_qemu(stringify!($name)); })*
        }
        const FACTS: &[&str] = &[$(stringify!($name)),*];
    };
}

facts! {
    equal_priorities_run_in_every_order
    a_lower_priority_runs_when_the_higher_one_has_ended
    a_yield_lets_no_lower_priority_go_first
    a_yield_lets_an_equal_priority_go_first_or_not
    a_woken_task_of_higher_priority_runs_before_give_returns
    a_woken_task_of_equal_priority_preempts_nobody_but_may_come_first
    a_woken_task_of_lower_priority_has_to_wait
    a_woken_sender_of_higher_priority_runs_before_receive_returns
    a_timeout_of_0_returns_at_once
    a_timed_wait_ends_with_its_time
    a_timed_wait_that_is_served_ends_then
    the_longest_time_never_ends
    an_owner_that_locks_again_for_the_longest_time_waits_for_itself
    a_faster_task_may_take_what_another_was_woken_for
    who_was_woken_in_vain_waits_for_the_rest_of_its_time_only
    when_time_is_over_what_was_waited_for_is_looked_at_once_more
    a_sender_gives_up_when_its_time_is_over
    with_a_free_clock_a_timeout_may_come_before_or_after_what_is_waited_for
    a_waiter_of_higher_priority_is_woken_first
    of_equal_waiters_the_first_to_come_is_woken_first
    an_item_wakes_one_waiter
    a_waiter_that_inherits_a_priority_keeps_its_place
    who_comes_to_wait_stands_behind_a_waiter_that_inherited_a_higher_priority
    a_holder_inherits_the_priority_of_who_waits
    a_try_lends_no_priority
    a_lock_with_a_timeout_of_0_lends_no_priority
    a_priority_is_lent_one_step_far
    the_holder_drops_back_when_its_last_mutex_is_given
    the_holder_falls_back_when_a_waiter_gives_up
    the_holder_keeps_an_inherited_priority_while_the_waiter_waits
    the_holder_falls_back_to_the_next_waiter_s_priority
    the_next_waiter_is_the_first_in_line
    who_holds_another_mutex_too_does_not_fall_back_when_a_waiter_gives_up
    a_waiter_that_lent_nothing_takes_nothing_back
    an_owner_that_locks_again_waits_for_itself
    an_owner_that_locks_again_gives_up_when_its_time_is_over
    an_owner_that_inherited_a_priority_does_not_give_up_waiting_for_itself
    a_recursive_mutex_is_free_when_given_as_often_as_it_was_locked
    who_gives_another_s_mutex_is_found
    a_recursive_mutex_is_given_by_its_holder_only
    a_free_mutex_cannot_be_given
    the_mutex_of_a_task_that_has_ended_is_not_given_back
    who_waits_for_the_mutex_of_a_task_that_has_ended_waits_in_vain
    a_cycle_with_the_environment_is_found_while_others_run
    a_full_semaphore_cannot_be_given
    a_counting_semaphore_can_be_given_up_to_its_maximum
    a_full_queue_takes_no_more
    a_peek_leaves_the_message_and_wakes_the_next_waiter_too
    a_receive_wakes_no_other_receiver
    a_start_takes_effect_when_the_daemon_runs
    the_daemon_preempts_who_has_a_lower_priority
    a_timer_is_active_until_its_callback_is_called
    a_periodic_timer_stays_active
    a_start_counts_from_the_call
    a_changed_period_counts_from_when_the_daemon_sees_it
    a_stop_that_the_daemon_sees_first_cancels_an_expired_timer
    a_timer_may_be_called_though_it_was_active_when_it_was_stopped
    a_stop_that_comes_after_the_callback_is_too_late
    a_start_that_is_overdue_when_the_daemon_sees_it_is_called_before_the_next_command
    with_a_free_clock_a_start_may_be_overdue_when_the_daemon_sees_it
    a_periodic_timer_counts_from_when_it_expired
    a_periodic_timer_that_is_behind_is_called_for_every_period_before_its_own_stop
    with_a_free_clock_a_periodic_timer_may_be_behind
    a_periodic_timer_whose_start_is_overdue_is_called_for_every_period
    the_command_queue_can_be_full
    a_callback_that_would_wait_is_found
    a_callback_that_would_wait_is_found_without_priorities_too
    a_callback_may_try
    a_delay_of_0_only_yields
    a_tick_to_come_is_waited_for
    overdue_returns_at_once
    a_tick_that_has_just_come_is_overdue
    with_a_free_clock_overdue_or_not_is_a_choice
    the_earlier_deadline_comes_first
    those_whose_time_comes_in_the_same_tick_take_turns
    all_who_are_due_in_a_tick_are_ready_before_one_of_them_goes_on
    with_a_free_clock_nobody_knows_who_is_due_in_the_same_tick
    a_tick_that_is_waited_for_is_one_with_a_delay_that_ends_in_it
    what_a_higher_priority_gives_in_the_tick_of_a_timeout_is_not_too_late
    what_a_lower_priority_gives_in_the_tick_of_a_timeout_is_too_late
    who_was_served_before_its_tick_is_not_woken_by_it
    the_environment_acts_in_a_tick_that_has_come_to_the_processor
    a_task_above_the_daemon_goes_before_a_callback_of_the_same_tick
    a_task_below_the_daemon_goes_after_a_callback_of_the_same_tick
    timers_of_the_same_tick_are_called_in_the_order_in_which_they_were_started
    a_periodic_timer_is_called_after_one_of_the_same_tick_that_has_run_for_longer
    a_tick_may_come_while_the_daemon_is_in_a_callback
    a_tick_is_held_back_if_one_who_is_due_in_it_has_no_expiry_left
    what_a_handler_wakes_runs_when_the_handler_has_returned
    a_handler_is_refused_what_is_not_there
    a_peek_of_a_handler_wakes_nobody
    handlers_do_not_nest
    a_command_of_a_handler_waits_for_the_daemon
    a_give_inside_a_critical_section_switches_at_the_outermost_exit
    no_handler_runs_inside_a_critical_section
    no_time_passes_inside_a_critical_section
    a_handler_that_would_wait_is_found
    a_mutex_in_a_handler_is_found
    who_would_wait_inside_a_critical_section_is_found
    who_ends_inside_a_critical_section_is_found
    an_exit_without_an_enter_is_found
}

#[test]
fn every_case_of_the_table_is_tested() {
    let names: Vec<&str> = cases::all().iter().map(|case| case.name).collect();
    assert_eq!(names, FACTS);
}
