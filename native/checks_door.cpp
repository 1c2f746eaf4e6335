// Checks of arrays, as Python asks for them. They are short: the GIL is kept, for to let it go takes longer than most of them.
#include "checks_door.hpp"

#include "checks.hpp"
#include "door.hpp"

namespace greedyhull {

void add_checks(nb::module_& m) {
    const auto plain = nb::arg().noconvert();
    m.def("all_finite", [](Vector<const double> x) { return all_finite(span(x)); }, plain);
    m.def("square_facts", [](Table2<const double> Q) {
        expect(Q.shape(0) == Q.shape(1), "square_facts: a square matrix is wanted");
        const SquareFacts facts = square_facts(matrix(Q));
        return nb::make_tuple(facts.symmetric, facts.dominant, facts.widest);
    }, plain);
    m.def("is_definite", [](Table2<const double> Q, double shift) {
        expect(Q.shape(0) == Q.shape(1), "is_definite: a square matrix is wanted");
        return is_definite(matrix(Q), shift);
    }, plain, nb::arg());
}

}  // namespace greedyhull
