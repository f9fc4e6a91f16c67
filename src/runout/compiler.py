"""Compiles kernels by numba's front end and LLVM, into code that is called without numba.

Numba would optimise and translate each kernel on its own, and again inside every kernel that calls
it, and would wrap each for calls from Python. Here kernels are types and LLVM's instructions only,
until Python calls one: its *entry* is linked with all that it calls, optimised and translated once.

The internals of numba that this uses are no interface; tests of kernels tell when they change.
"""

import ctypes
import sys
from typing import Any

from runout.jit import CompiledCode, Kernel, compile_problems, compiling

# Numba imports them wherever they are installed, for what no kernel uses: linear algebra, reports
# on lines, and colours, which are reset on the terminal at the end of every program. In too little
# memory the import of scipy never ends.
_UNUSED = ("scipy", "coverage", "colorama")
_ABSENT: dict[str, Any] = {name: None for name in _UNUSED if name not in sys.modules}
sys.modules.update(_ABSENT)
try:
    import numba
    from llvmlite import binding, ir
    from numba.core import cgutils, sigutils, types
    from numba.core.codegen import JITCodeLibrary
    from numba.core.compiler import Compiler
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import CPUDispatcher, cpu_target
    from numba.np.arrayobj import populate_array
finally:
    for _name in _ABSENT:
        del sys.modules[_name]

# Numba and llvmlite are not annotated.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc, attr-defined"

#: The same for all kernels, and what keeps numba from wrapping them for Python.
_OPTIONS = {"nopython": True, "nogil": True, "error_model": "numpy"}
_UNWRAPPED = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

_INT32, _WORD, _POINTER = ir.IntType(32), ir.IntType(64), ir.IntType(8).as_pointer()

#: Of an object: its type ends its head, which a scalar's value or an array's fields follow.
_HEAD_BYTES = object.__basicsize__
_TYPE_OFFSET = _HEAD_BYTES - 8
#: Of an array's fields: data, number of axes, lengths, strides, base, dtype, flags.
_DATA, _NDIM, _SHAPE, _STRIDES, _DTYPE, _FLAGS = (_HEAD_BYTES + 8 * i for i in (0, 1, 2, 3, 5, 6))
#: Flags of an array.
_C_ORDER, _F_ORDER, _ALIGNED, _WRITEABLE = 1, 2, 0x100, 0x400


#: The number of problems that leave numba alone.
_ALONE = 2

#: What numba's runtime does for arrays inside kernels, none of which leaves its kernel. An array's
#: head holds the number of its references, and where its numbers begin.
_MEMORY = """
declare ptr @malloc(i64)
declare void @free(ptr)
define void @NRT_MemInfo_call_dtor(ptr %head) {
  call void @free(ptr %head)
  ret void
}
define ptr @NRT_Allocate(i64 %size) { %room = call ptr @malloc(i64 %size) ret ptr %room }
define void @NRT_Free(ptr %room) { call void @free(ptr %room) ret void }
define ptr @NRT_MemInfo_alloc(i64 %size) {
  %head = call ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 16)
  ret ptr %head
}
define ptr @NRT_MemInfo_alloc_aligned(i64 %size, i32 %align) {
  %step = zext i32 %align to i64
  %more = add i64 %step, 64
  %all = add i64 %size, %more
  %head = call ptr @malloc(i64 %all)
  %failed = icmp eq ptr %head, null
  br i1 %failed, label %end, label %fill
fill:
  %start = ptrtoint ptr %head to i64
  %latest = add i64 %start, %more
  %over = urem i64 %latest, %step
  %first = sub i64 %latest, %over
  store i64 1, ptr %head
  %place = getelementptr i64, ptr %head, i64 3
  store i64 %first, ptr %place
  br label %end
end:
  ret ptr %head
}
"""


class _Library(JITCodeLibrary):
    """Code that is linked into other code; nothing is optimised or translated before that."""

    def _optimize_final_module(self):
        pass

    def _finalize_final_module(self):
        self._finalize_dynamic_globals()
        assert not self._dynamic_globals, f"{self.name} holds an array of this process"
        self._finalized = True


class _EntryLibrary(_Library):
    """An entry with all that it calls, optimised together."""

    def _optimize_final_module(self):
        module = self._final_module
        for each in (*module.functions, *module.global_variables):
            if not each.is_declaration and each.name != self.name:
                each.linkage = "internal"
        super(_Library, self)._optimize_final_module()


class _Pipeline(Compiler):
    """Numba's compiler up to LLVM's instructions."""

    def compile_extra(self, func):
        self.state.flags.no_compile = True
        self.state.library = _Library(self.state.targetctx.codegen(), func.__qualname__)
        return super().compile_extra(func)


class KernelDispatcher(CPUDispatcher):
    """What numba's typing sees where a kernel calls another one."""

    def __init__(self, of_kernel: Kernel) -> None:
        options = _OPTIONS | _UNWRAPPED | of_kernel.options
        super().__init__(of_kernel.py_func, None, options, _Pipeline)
        self._of_kernel = of_kernel

    def get_call_template(self, args, kws):
        """Finds the code for a call by a kernel, the same for constants and for variables.

        Numba would compile a kernel once more for every constant that it is called with.
        """
        by_name = {name: types.unliteral(kind) for name, kind in kws.items()}
        return super().get_call_template([types.unliteral(kind) for kind in args], by_name)

    def compile(self, sig):
        """Compiles for types of arguments, if that has not been done; tells listeners."""
        args, _ = sigutils.normalize_signature(sig)
        with global_compiler_lock:
            if args not in self.overloads:
                with compiling(self.py_func.__name__):
                    self.find(args)
        return self.overloads[args].entry_point

    def find(self, args):
        """Returns what is compiled for types of arguments, after compiling it if need be."""
        if args not in self.overloads:
            self._of_kernel.num_compiled += 1
            with self._compiling_counter:
                found = self._compiler.compile(args, None)._replace(entry_point=object())
            self.targetctx.insert_user_function(found.entry_point, found.fndesc, [found.library])
            self.overloads[args] = found
        return self.overloads[args]


def type_of_intrinsic(function):
    """Returns the type that a function of numba's has as a global name of kernels."""
    context = cpu_target.typing_context
    context.refresh()
    return context.resolve_value_type(function)


def make_dispatcher(of_kernel: Kernel) -> Any:
    """Returns what numba sees of a kernel, numba's own where it cannot do with less."""
    if len(compile_problems) < _ALONE:
        return KernelDispatcher(of_kernel)
    return numba.jit(**_OPTIONS | of_kernel.options)(of_kernel.py_func)  # type: ignore[call-overload]


def compile_entry(of_kernel: Kernel, args: tuple[Any, ...], key: str) -> CompiledCode | None:
    """Compiles a kernel for the types of some arguments; the key tells it from other code.

    Where the internals of numba are not as expected it does without vector instructions, and if
    that does not help, without an entry: then nothing is returned, and numba calls the kernel.
    """
    kinds, known = tuple(numba.typeof(each) for each in args), len(compile_problems)
    with global_compiler_lock, compiling(of_kernel.py_func.__name__):
        while True:
            try:
                if len(compile_problems) == _ALONE:
                    return of_kernel.dispatcher.compile(kinds) and None
                return _compile_entry(of_kernel.dispatcher.find(kinds), f"runout_{key}")
            except Exception as error:  # whatever a new numba makes of its internals
                if isinstance(error, MemoryError) or len(compile_problems) == _ALONE:
                    del compile_problems[known:]
                    raise
                reason = f"are not those that were expected ({type(error).__name__})"
                compile_problems.append(f"numba's internals {reason}")


def _compile_entry(found, name: str) -> CompiledCode:
    codegen = found.target_context.codegen()
    library, entry = _EntryLibrary(codegen, name), Entry(found, name)
    library.add_ir_module(entry.module)
    library.add_llvm_module(binding.parse_assembly(_MEMORY))
    library.add_linking_library(found.library)
    library.finalize()
    module = library._final_module
    outside = [each.name for each in module.functions if each.is_declaration]
    known = [each.startswith("llvm.") or hasattr(ctypes.pythonapi, each) for each in outside]
    # Numba has meanings of its own for names such as PyExc_RuntimeError.
    known += [not each.is_declaration for each in module.global_variables]
    return CompiledCode(name, entry.returns, not all(known), codegen._tm.emit_object(module))


class Entry:
    """Writes ``int entry(tuple, pointer *met, void *answer)``, which calls a kernel.

    It compares the types of arguments with the objects that `jit` met when it found this entry,
    reads them as the objects lie in memory, lets the GIL go, and calls. It returns 0 after writing
    the answer, 1 if there were other types, and 2 after writing where an exception is described.
    """

    def __init__(self, found, name: str) -> None:
        """Writes a module with the entry of what numba has compiled."""
        self.context = context = found.target_context
        self.module = context.create_module(name)
        kind = ir.FunctionType(_INT32, [_POINTER] * 3)
        function = ir.Function(self.module, kind, name)
        self.builder = ir.IRBuilder(function.append_basic_block())
        self.other_types = function.append_basic_block()
        self.arguments, self.met, self.answer = function.args
        self.num_met = 0
        fndesc = found.fndesc
        values = self.read_tuple(types.Tuple(fndesc.argtypes), self.arguments)
        callee = ir.Function(
            self.module,
            context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes),
            fndesc.llvm_func_name,
        )
        state = self.call("PyEval_SaveThread", _POINTER, [])
        status, result = context.call_conv.call_function(
            self.builder, callee, fndesc.restype, fndesc.argtypes, values
        )
        self.call("PyEval_RestoreThread", ir.VoidType(), [state])
        with self.builder.if_then(status.is_error, likely=False):
            problem = self.builder.ptrtoint(status.excinfoptr, _WORD)
            self.builder.store(problem, self.at(self.answer, 0, _WORD))
            self.builder.ret(_INT32(2))
        self.returns = self.write_answer(fndesc.restype, result)
        self.builder.ret(_INT32(0))
        self.builder.position_at_end(self.other_types)
        self.call("PyErr_Clear", ir.VoidType(), [])
        self.builder.ret(_INT32(1))

    def at(self, start, offset, kind):
        """Returns a pointer to something some bytes after another pointer."""
        place = self.builder.gep(start, [_WORD(offset)])
        return self.builder.bitcast(place, kind.as_pointer())

    def load(self, start, offset, kind):
        """Returns what is some bytes after a pointer."""
        return self.builder.load(self.at(start, offset, kind))

    def call(self, name, returned, args):
        """Calls a function of Python's."""
        kind = ir.FunctionType(returned, [each.type for each in args])
        return self.builder.call(cgutils.get_or_insert_function(self.module, kind, name), args)

    def expect(self, condition):
        """Goes on only if the types are the expected ones."""
        then = self.builder.append_basic_block()
        self.builder.cbranch(condition, then, self.other_types)
        self.builder.position_at_end(then)

    def expect_met(self, found):
        """Expects the next of the objects that were met."""
        wanted = self.load(self.met, 8 * self.num_met, _POINTER)
        self.num_met += 1
        self.expect(self.builder.icmp_unsigned("==", found, wanted))

    def read(self, kind, place):
        """Returns an argument as a value of numba's."""
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(self.builder, kind, self.read_tuple(kind, place))
        self.expect_met(self.load(place, _TYPE_OFFSET, _POINTER))
        if isinstance(kind, types.Array):
            return self.read_array(kind, place)
        if kind == types.none:
            return self.context.get_dummy_value()
        if kind == types.intp:
            # A number of numpy's has another type, and is the same to numba.
            number = self.call("PyLong_AsLongLong", _WORD, [place])
            with self.builder.if_then(self.builder.icmp_signed("==", number, _WORD(-1))):
                problem = self.call("PyErr_Occurred", _POINTER, [])
                self.expect(cgutils.is_null(self.builder, problem))
            return number
        if kind == types.float64:  # of Python, or of numpy, which is one of Python
            return self.call("PyFloat_AsDouble", ir.DoubleType(), [place])
        if kind == types.boolean:
            return self.builder.trunc(self.call("PyObject_IsTrue", _INT32, [place]), ir.IntType(1))
        if isinstance(kind, types.Number):
            of_data = self.context.get_data_type(kind)
            return self.load(place, _HEAD_BYTES, of_data)
        raise TypeError(f"kernels take no {kind}")

    def read_tuple(self, kind, place):
        """Returns the parts of a tuple or NamedTuple."""
        self.expect_met(self.load(place, _TYPE_OFFSET, _POINTER))
        size = self.call("PyTuple_Size", _WORD, [place])
        self.expect(self.builder.icmp_signed("==", size, _WORD(len(kind))))
        return [
            self.read(part, self.call("PyTuple_GetItem", _POINTER, [place, _WORD(i)]))
            for i, part in enumerate(kind)
        ]

    def read_array(self, kind, place):
        """Returns an array; the caller holds it as long as the call lasts."""
        builder, context = self.builder, self.context
        self.expect_met(self.load(place, _DTYPE, _POINTER))
        ndim = self.load(place, _NDIM, _INT32)
        self.expect(builder.icmp_signed("==", ndim, _INT32(kind.ndim)))
        order = {"C": _C_ORDER, "F": _F_ORDER, "A": 0}[kind.layout]
        looked_at = _ALIGNED | _WRITEABLE | _C_ORDER | (0 if kind.layout == "C" else _F_ORDER)
        wanted = order | (_ALIGNED if kind.aligned else 0) | (_WRITEABLE if kind.mutable else 0)
        flags = builder.and_(self.load(place, _FLAGS, _INT32), _INT32(looked_at))
        self.expect(builder.icmp_signed("==", flags, _INT32(wanted)))
        lengths, strides = (
            [
                self.load(self.load(place, of_axes, _POINTER), 8 * axis, _WORD)
                for axis in range(kind.ndim)
            ]
            for of_axes in (_SHAPE, _STRIDES)
        )
        array = context.make_array(kind)(context, builder)
        of_data = context.get_data_type(kind.dtype)
        populate_array(
            array,
            data=self.load(place, _DATA, of_data.as_pointer()),
            shape=lengths,
            strides=strides,
            itemsize=context.get_abi_sizeof(of_data),
            meminfo=None,
        )
        return array._getvalue()

    def write_answer(self, kind, result):
        """Writes what a kernel returns, and tells its type."""
        builder = self.builder
        if kind == types.none:
            return "none"
        if isinstance(kind, types.Float):
            wide = self.context.cast(builder, result, kind, types.float64)
            builder.store(wide, self.at(self.answer, 0, wide.type))
            return "float"
        if isinstance(kind, types.Integer):
            wide = self.context.cast(builder, result, kind, types.int64)
            builder.store(wide, self.at(self.answer, 0, _WORD))
            return "int"
        raise TypeError(f"kernels return no {kind} to Python; let them fill an array")
