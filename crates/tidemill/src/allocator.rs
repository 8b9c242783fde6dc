//! The allocator, which also counts what each thread holds: the cache of definitions measures by it how large they are.

use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use tidemill_server::note_allocation;

/// Requests and rows are many small pieces, made on one thread and freed on another.
pub(crate) struct CountingAllocator;

fn bytes(size: usize) -> isize {
    // Sizes of allocations never exceed isize::MAX.
    size as isize
}

#[expect(unsafe_code, reason = "an allocator cannot be passed on otherwise; every call goes on as it came")]
// SAFETY: all calls are those of MiMalloc; counting neither allocates nor touches the memory.
unsafe impl GlobalAlloc for CountingAllocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_allocation(bytes(layout.size()));
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note_allocation(bytes(layout.size()));
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note_allocation(bytes(size) - bytes(layout.size()));
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note_allocation(-bytes(layout.size()));
        // SAFETY: as promised by the caller.
        unsafe { MiMalloc.dealloc(pointer, layout) }
    }
}
